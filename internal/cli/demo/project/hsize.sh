# hsize BYTES: print a number of bytes the way people read it.
hsize() {
	if [ "$1" -lt 1024 ]; then
		echo "$1 B"
	else
		echo "$(($1 / 1024)) KiB"
	fi
}
