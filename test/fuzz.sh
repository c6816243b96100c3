#!/bin/sh
# Runs every fuzzer of the module for a short while: sh test/fuzz.sh 300x, or 5m
set -eu
for file in $(grep -rl '^func Fuzz' --include='*_test.go' internal); do
	dir=$(dirname "$file")
	for name in $(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$file"); do
		echo "fuzz $dir $name"
		out=$(${GO:-go} test "./$dir" -run '^$' -fuzz "^$name\$" -fuzztime "$1" 2>&1) || { echo "$out"; exit 1; }
	done
done
