#!/bin/sh
# Measures the built program: sh test/bench.sh [SECTION...]; without a section
# all of them. PARLEY is the binary that is measured.
set -eu
cd "$(dirname "$0")/.."
export GO="${GO:-go}" CGO_ENABLED="${CGO_ENABLED:-0}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
parley=${PARLEY:-$PWD/bin/parley}
[ -x "$parley" ] || {
	parley=$dir/parley
	"$GO" build -trimpath -ldflags "-s -w" -o "$parley" .
}
"$GO" build -o "$dir/bench" ./test/bench
"$dir/bench" -parley "$parley" "$@"
