#!/bin/sh
# Runs every fuzzer of the module for a short while, two at a time: sh test/fuzz.sh
# 300x, or 5m
set -eu
export GO="${GO:-go}" FUZZTIME="$1"
one='
	echo "fuzz $1 $2"
	out=$("$GO" test "./$1" -run "^$" -fuzz "^$2\$" -fuzztime "$FUZZTIME" -parallel 1 -vet=off 2>&1) || { echo "$out"; exit 255; }'
for file in $(grep -rl '^func Fuzz' --include='*_test.go' internal); do
	sed -n "s|^func \(Fuzz[A-Za-z0-9_]*\)(.*|$(dirname "$file") \1|p" "$file"
done | xargs -P 2 -L 1 sh -c "$one" fuzz
