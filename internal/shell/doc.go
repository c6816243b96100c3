// Package shell reads the command lines that a rule with a pattern may allow, says what they do, and does that without a shell.
//
// The promise: a rule with a pattern lets a line run only if Parley read all of it as programs with fixed arguments; then it starts
// those and opens those files, without a shell; a rule says what starts, not what it does.
//
//	text ── Read ──► Line ── Plan(World) ──► Plan ── Steps ──► rules judge
//	          │                 │              └──── Run(Host) ──► programs, files
//	          └─ *Unread ◄──────┘ the first thing that was not read: place, text, reason
//
// There is one reading. Bash never sees a line that was allowed so; whether bash would have read it alike is a matter of what the
// model meant (and is tested), not of what runs.
//
// # The grammar
//
//	line     = [ "cd" WORD "&&" ] chain { ( ";" | newline ) chain }
//	chain    = pipe { ( "&&" | "||" ) pipe }
//	pipe     = command { "|" command }
//	command  = { NAME=VALUE } name { WORD | redirection }
//	WORD     = pieces of A-Za-z0-9_@%+=:,./- and, after such a byte, ~ ^ # ! (~ not after : or =); '…'; "…"; * and ? in arguments
//	redirection = "<" | ">" | ">>" | "2>" | "2>>" and a WORD without patterns; "2>&1"; <<'WORD' up to the line WORD
//
// In double quotes a backslash before " \ $ or a backquote stands for that character and before any other printable one for both; a
// $ stands before the closing quote or a blank only. In arguments of echo $? is the last exit code. The name of a command is
// unquoted, has no = and is no reserved word, builtin or job of a shell; the names that may be set before it are the table
// variables. Words of our own are cd, pwd, echo, true and false. A * or ? stands for the files below the workspace's handle that it
// matches when the plan is made: sorted by bytes, none that begins with a dot, 1,000 in a line at most.
//
// Where the grammar left something open, the stricter reading holds:
//   - A blank is a space: tabs stand in quotes and here-documents only, as newlines do. Of control characters, those of the second
//     page (C1) too, nothing else is read anywhere. Text is UTF-8.
//   - No newline after && || or |, none in quotes after << in the same line, one here-document a line, its word of plain bytes.
//   - Redirections follow the name of a command. What stands before > or < without a blank is no number; 2>&1 ends its word.
//   - A variable is set once, to bytes that are no path of a locale or a file (LC_ALL=../x), and without patterns.
//   - Paths of redirections, of cd and of patterns go through no link, and .. may only begin them. A file that is written has no
//     second name (hard link) and is no pipe or device; what does not exist yet may be made.
//   - A pattern matches no name with control characters, none in a folder behind a link, and no file that the line itself makes.
//   - A program that is named by a path of the workspace is not behind a linked folder. One that is found on the PATH lies in a
//     folder that the agent cannot write, nor any folder that decides where the path leads ([World].Follow, Writable).
//   - pwd takes no argument and says the folder without links. cd is not read alone, nor twice, nor with options.
//
// # What is started
//
// [Plan.Steps] names each program by its absolute path, with its words, the variables it is given and the files of its redirections.
// [Plan.Run] starts these. The environment is the person's without the variables of the table executing, and without entries of PATH
// that are relative, missing or can be written by the agent: npm finds its node there. Variables that choose what a program works
// on stay. [Disk] opens files name by name below a handle on the workspace and never follows a link; a program enters its
// folder through such a handle too (on Linux).
//
// Git is kept from what a folder says that it finds below the workspace: no bare repository that is not named, no monitor of files, no
// hooks, in whatever program starts it.
//
// # For rules
//
// Package permission judges a [Step] as these say:
//   - [Within].Need is how many words a rule that ends in :* must name of a program that runs others: bash(xargs:*) and bash(sh:*)
//     cover nothing. What [Step].Inner holds is what a wrapper runs, read whole. A Filter needs no rule, nor does a word of our own.
//   - [Inside] finds what a command may run in its turn, for rules that deny; also in what a parser of all of bash finds in a line
//     that was not read.
//   - [Prefix] tells which words name a use whose other words a table has: those are what an answer may remember. [Risks] are for
//     warnings, [Depth] is for answers that deny.
//   - A line that is [Unread] is bash's as it stands, once somebody has allowed that, with [BashOptions] and [BashEnvironment].
//
// # What it does not do
//
// It does not confine a program, and does not know what one does with its words: a program may run others (git a hook, make a
// recipe), follow links and read what it likes. That is the fence's part. It does not decide: what is allowed is permission's. It
// does not end what a program left behind: [Host].Start belongs to the caller, who knows sessions and process trees. Between plan
// and start a program in the workspace that is named by its path may be replaced by whoever may write there.
package shell
