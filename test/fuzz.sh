#!/bin/sh
# Runs every fuzzer of the module, two packages at a time: sh test/fuzz.sh 1000x, or
# 5m each. A package's fuzzers share one binary, in which only our own packages
# are watched for what an input reaches, so nothing else is compiled anew.
# Each says how many inputs it tried; one that tried fewer than a minimum does not
# fuzz, and fails: LEAST, or else the number asked for, or 1000.
set -eu
cd "$(dirname "$0")/.."
export GO="${GO:-go}" FUZZTIME="$1"
case $FUZZTIME in *x) asked=${FUZZTIME%x} ;; *) asked=1000 ;; esac
BIN=$(mktemp -d)
# What earlier runs found is tried first and counted: a number of inputs begins without it.
case $FUZZTIME in *x) FUZZCACHE=$BIN/found ;; *) FUZZCACHE=$("$GO" env GOCACHE)/fuzz/parley ;; esac
export FUZZCACHE BIN LEAST="${LEAST:-$asked}"
trap 'rm -rf "$BIN"' EXIT
# Minimizing an input takes a minute if it may, for each that reaches something
# new, and finds nothing.
one='
	binary=$BIN/$(echo "$1" | tr / -)
	"$GO" test -c -vet=off -gcflags=parley/...=-d=libfuzzer -o "$binary" "./$1" || exit 255
	cd "$1"
	for name in $(sed -n "s/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p" *_test.go); do
		said=$("$binary" -test.run "^$" -test.fuzz "^$name\$" -test.fuzztime "$FUZZTIME" -test.fuzzminimizetime 5x \
			-test.parallel 1 -test.fuzzcachedir "$FUZZCACHE/$1" 2>&1) || { echo "$1 $name"; echo "$said"; exit 255; }
		inputs=$(echo "$said" | sed -n "s/.*execs: \([0-9]*\).*/\1/p" | tail -n 1)
		echo "fuzz $1 $name: ${inputs:-0} inputs"
		[ "${inputs:-0}" -ge "$LEAST" ] || { echo "$1 $name does not fuzz: fewer than $LEAST inputs"; exit 255; }
	done
	rm "$binary"'
grep -rl '^func Fuzz' --include='*_test.go' internal | xargs -n 1 dirname | sort -u | xargs -P 2 -n 1 sh -c "$one" fuzz
