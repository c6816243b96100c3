#!/bin/sh
# Runs every check; exits 1 if one of them failed.
. ./hsize.sh
failed=0

check() {
	got=$(hsize "$1")
	if [ "$got" = "$2" ]; then
		echo "ok    $1 is $2"
	else
		echo "FAIL  $1: got $got, want $2"
		failed=1
	fi
}

check 0 "0 B"
check 1023 "1023 B"
check 1024 "1 KiB"
check 1572864 "1536 KiB"
exit $failed
