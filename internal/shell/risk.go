package shell

import (
	"path"
	"slices"
	"strings"
)

// Risk is something that a command may do and that a person should know before the answer. It says nothing of what is allowed.
type Risk string

// The risks.
const (
	RiskLoses     Risk = "loses"     // what it removes or overwrites may be gone for good
	RiskRaises    Risk = "raises"    // it runs with the rights of another user
	RiskPublishes Risk = "publishes" // it changes what others see
	RiskConnects  Risk = "connects"  // it connects to another machine, to whichever its words say
	RiskReaches   Risk = "reaches"   // it reaches out, as an installer does
	RiskDownloads Risk = "downloads" // it fetches what its words say: in a line with a shell that may be run
	RiskChanges   Risk = "changes"   // it changes the files that its words name
)

// Risks are the risks of a command as its words tell, in the order of the table.
func Risks(args []Arg) []Risk {
	if len(args) == 0 || !args[0].Fixed {
		return nil
	}
	var found []Risk
	for _, row := range risks {
		if !slices.Contains(found, row.risk) && row.about(args) {
			found = append(found, row.risk)
		}
	}
	return found
}

// riskRow is a row of the table of risks.
type riskRow struct {
	risk Risk
	// uses are programs, or programs and their first word that is no option, set apart by "|". A * at the end of one is any text.
	uses string
	// words make it so, one of them; it always is so where there are none. A letter counts among others after one dash, an option
	// with a value as well, "+…" is any word that begins with +, and "…" a word that only shows when it runs.
	words string
}

func (row riskRow) about(args []Arg) bool {
	name := strings.ToLower(path.Base(args[0].Text))
	sub := subcommand(args)
	for use := range strings.SplitSeq(row.uses, "|") {
		program, command, _ := strings.Cut(use, " ")
		if matchesName(program, name) && (command == "" || command == sub) {
			return row.words == "" || slices.ContainsFunc(strings.Fields(row.words), func(w string) bool { return hasWord(args[1:], w) })
		}
	}
	return false
}

// subcommand is the first word that is no option, nor the value of an option of git's.
func subcommand(args []Arg) string {
	for i := 1; i < len(args); i++ {
		switch a := args[i]; {
		case !a.Fixed || strings.HasPrefix(a.Text, "-") && !gitValues[a.Text]:
		case strings.HasPrefix(a.Text, "-"):
			i++
		default:
			return a.Text
		}
	}
	return ""
}

func hasWord(args []Arg, want string) bool {
	return slices.ContainsFunc(args, func(a Arg) bool {
		option, _, _ := strings.Cut(a.Text, "=")
		switch {
		case want == "…":
			return !a.Fixed
		case want == "+…":
			return strings.HasPrefix(a.Text, "+")
		case len(want) == 2 && want[0] == '-' && want[1] != '-':
			return strings.HasPrefix(a.Text, "-") && !strings.HasPrefix(a.Text, "--") && strings.IndexByte(a.Text, want[1]) > 0
		}
		return option == want
	})
}

// Depth is how many words of a command name what it does: two of git push, three of npm run test, one where nothing is known.
func Depth(args []string) int {
	for n := min(len(args), 2); n > 0; n-- {
		if d := depths[strings.Join(args[:n], " ")]; d > 0 {
			return min(d, len(args))
		}
	}
	return min(1, len(args))
}

// matchesName compares a name with a pattern in which a star stands for any text.
func matchesName(pattern, name string) bool {
	before, after, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == name
	}
	rest, ok := strings.CutPrefix(name, before)
	for i := 0; ok && i <= len(rest); i++ {
		if matchesName(after, rest[i:]) {
			return true
		}
	}
	return false
}
