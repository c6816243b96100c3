#!/bin/sh
# Installs what the tests drive the program with, where it is missing.
set -eu
cd "$(dirname "$0")/.."
missing=
for pair in crontab:cron git:git groff:groff-base less:less node:nodejs npm:npm rg:ripgrep tmux:tmux top:procps; do
	command -v "${pair%%:*}" >/dev/null 2>&1 || missing="$missing ${pair#*:}"
done
if [ -n "$missing" ]; then
	if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
		apt-get update -qq >&2
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >&2
	elif [ "${CI:-}" = true ]; then
		echo "missing:$missing" >&2
		exit 1
	else
		echo "missing:$missing; the tests that need them will say so" >&2
	fi
fi
if command -v npm >/dev/null 2>&1; then
	mkdir -p .cache/node
	cp test/package.json test/package-lock.json .cache/node/ 2>/dev/null || cp test/package.json .cache/node/
	(cd .cache/node && npm install --no-audit --no-fund --silent >&2)
fi
