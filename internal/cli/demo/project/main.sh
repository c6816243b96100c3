#!/bin/sh
# Usage: sh main.sh BYTES...
. ./hsize.sh
for bytes; do
	hsize "$bytes"
done
