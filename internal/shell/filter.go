package shell

// filterUses are the programs that need no rule after a pipe: they read it and write to the next. No option of theirs names a file,
// runs a program or follows a file; none has a file among its words. The value of a long option stands after =: some programs of that
// name take none otherwise, so that the next word would be a file (--context of the grep of FreeBSD and macOS).
var filterUses = map[string]*table{
	"head": newTable(use{options: "-n: -c: -q -v -z -# --lines? --bytes? --quiet --silent --verbose --zero-terminated"}),
	"tail": newTable(use{options: "-n: -c: -q -v -z -# --lines? --bytes? --quiet --silent --verbose --zero-terminated"}),
	"wc":   newTable(use{options: "-l -w -c -m -L --lines --words --bytes --chars --max-line-length"}),
	"sort": newTable(use{options: "-b -d -f -g -i -M -h -n -R -r -V -u -s -z -c -C -k: -t: --ignore-leading-blanks --dictionary-order " +
		"--ignore-case --general-numeric-sort --ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort --random-sort " +
		"--reverse --version-sort --unique --stable --zero-terminated --key? --field-separator?"}),
	"uniq": newTable(use{options: "-c -d -D -u -i -z -f: -s: -w: --count --repeated --unique --ignore-case --zero-terminated " +
		"--skip-fields? --skip-chars? --check-chars?"}),
	"cut": newTable(use{options: "-d: -f: -c: -b: -s -n -z --delimiter? --fields? --characters? --bytes? --only-delimited " +
		"--complement --output-delimiter? --zero-terminated"}),
	"tr": newTable(use{options: "-d -s -c -C -t --delete --squeeze-repeats --complement --truncate-set1", operands: twoTexts}),
	"grep": newTable(use{options: "-i -v -n -c -l -L -q -s -o -w -x -E -F -G -P -h -H -a -b -z -e: -A: -B: -C: -m: -# --regexp? " +
		"--ignore-case --no-ignore-case --invert-match --line-number --count --files-with-matches --files-without-match --quiet " +
		"--silent --no-messages --only-matching --word-regexp --line-regexp --extended-regexp --fixed-strings --basic-regexp " +
		"--perl-regexp --no-filename --with-filename --text --byte-offset --null-data --line-buffered --max-count? " +
		"--after-context? --before-context? --context? --color? --colour?", operands: oneText}),
}

// filters says whether the words are a filter that needs no rule.
func filters(args []string) bool {
	t := filterUses[args[0]]
	if t == nil {
		return false
	}
	_, ok := t.unknown(args[1:])
	return ok
}
