#!/bin/sh
# Runs the program and the four wires against an independent model server.
# Where node is missing this is skipped with a word; in CI that is a failure.
set -eu
cd "$(dirname "$0")/.."
mock=$PWD/.cache/node/node_modules/@copilotkit/aimock/dist/cli.js
if ! command -v node >/dev/null 2>&1 || [ ! -f "$mock" ]; then
	echo "no model server: node or @copilotkit/aimock is missing" >&2
	[ "${CI:-}" != true ]
	exit
fi
home=$(mktemp -d)
parley=${PARLEY:-$PWD/bin/parley}
[ -x "$parley" ] || ${GO:-go} build -o "$home/parley" . && [ -x "$parley" ] || parley=$home/parley
pids=
# shellcheck disable=SC2317
cleanup() {
	"$parley" daemon stop >/dev/null 2>&1 || true
	for pid in $pids; do kill "$pid" 2>/dev/null || true; done
	rm -rf "$home"
}
trap cleanup EXIT
export XDG_DATA_HOME="$home/data" XDG_STATE_HOME="$home/state" XDG_CONFIG_HOME="$home/config" XDG_RUNTIME_DIR="$home/run"
mkdir -m 700 "$home/run"

# serve PORT FIXTURES
serve() {
	node "$mock" --strict --port "$1" --fixtures "$2" >"$home/mock-$1.log" 2>&1 &
	pids="$pids $!"
	n=0
	until node -e "require('net').connect($1,'127.0.0.1').on('connect',()=>process.exit(0)).on('error',()=>process.exit(1))"; do
		n=$((n + 1))
		[ $n -lt 100 ] || { cat "$home/mock-$1.log" >&2; exit 1; }
		sleep 0.1
	done
}
port=$((20000 + $$ % 20000))
# Each knows one prompt only, so an answer says which server was asked.
serve $port test/mock/hello
serve $((port + 1)) test/mock/compare
serve $((port + 2)) internal/llm/testdata/aimock

echo "wires against the mock"
PARLEY_AIMOCK=http://127.0.0.1:$((port + 2)) ${GO:-go} test -count=1 -run AIMock ./internal/llm

work=$home/work
mkdir "$work"
echo "one two" >"$work/a.txt"
echo "one three" >"$work/b.txt"

# ask BASE MODEL PROMPT WANTED...: runs a prompt and looks for texts in the output and its log.
ask() {
	base=$1 model=$2 prompt=$3
	shift 3
	OPENAI_API_KEY=x OPENAI_BASE_URL=$base ANTHROPIC_API_KEY=x ANTHROPIC_BASE_URL=${base%/v1} \
		GEMINI_API_KEY=x GOOGLE_GEMINI_BASE_URL=${base%/v1} \
		"$parley" run --cwd "$work" --model "$model" "$prompt" >"$home/out" 2>"$home/err" || { cat "$home/out" "$home/err"; exit 1; }
	for wanted; do
		grep -qF "$wanted" "$home/out" || { echo "no '$wanted' in:"; cat "$home/out" "$home/err"; exit 1; }
	done
	echo "ok: $model: $prompt"
}
ask "http://127.0.0.1:$port/v1" openai-chat/m "Say hello." "Hello from the mock."
# The daemon runs now; another base URL in the client's environment counts.
ask "http://127.0.0.1:$((port + 1))/v1" openai-chat/m "Compare a.txt with b.txt." 'read("a.txt")' 'read("b.txt")' "one two" "one three" "They differ in one word."
for model in openai/m anthropic/m gemini/m; do
	ask "http://127.0.0.1:$((port + 1))/v1" $model "Compare a.txt with b.txt." 'read("a.txt")' 'read("b.txt")' "They differ in one word."
done
for id in $("$parley" sessions list --all --json | sed 's/.*"session":"\([^"]*\)".*/\1/'); do
	"$parley" check "$id"
done
echo "6 passed, 0 failed"
