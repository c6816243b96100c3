// Package permission decides whether a tool call may run: a function of a policy
// and a call, which brings what there is to see of the machine; it has no I/O of its own and no clock.
//
// A rule names a tool, and perhaps a pattern for what the tool is called with. What
// a pattern means the tool says ([Kind]), and whether its calls are also under the
// rules of a family, as write is under edit; a [Grammar] holds both. These are how
// the built-in tools are called:
//
//	bash(git status:*)   the command git status, with any further words
//	bash(go test ./...)  exactly these words
//	bash                 every command line
//	read(src/**)         read, ls, glob and grep below src of the workspace
//	edit(**)             edit and write, and redirection into a file
//	read(/etc/hosts)     an absolute path; ~/ is the home folder
//	fetch(*.example.org) a host and, with the star, the hosts below it, at every port
//	fetch(localhost:80)  a host at one port
//	task(research)       one name
//	*                    everything
//
// Known here by name are the shell and the two families, whose rules also hold for
// the files that a command line opens; of any other tool only what it says. A rule on
// a tool that is not known is read again when the tool is called: where its pattern
// is none for the tool, an allow rule is about none of its calls, any other about all.
//
// [Decide] looks at deny rules, then at allow rules, and otherwise asks.
// Inside the workspace the tools of the family read need no rule. An ask rule takes
// its part back from a broader allow rule of the same or a wider scope.
//
// A command line is read once, by package shell, in the world that the call brings. Where all of it was read, each program that it
// starts and each file that it opens is judged, and [Allow] carries the plan of just that, to be run in the place of the text: a
// rule with a pattern allows nothing else. What is not read whole (an expansion, a loop, a program that the agent could
// replace) is covered by the rules bash and * only, and bash gets it as it stands; the question names what was not read.
// What such a line may do is read leniently, for rules that take away and for warnings.
//
// An answer that was remembered covers the uses that package shell has a table of, with the options of that table, and the
// exact words otherwise. The same rule in a configuration or a flag covers any further words.
//
// Guaranteed, and fuzzed:
//   - Adding a deny or an ask rule never turns a refusal or a question into an
//     allowance; adding an allow rule never turns an allowance into less.
//   - What a rule with a pattern allows has a plan, and the rules cover all of it.
//   - A deny rule also sees commands inside substitutions, wrappers and
//     sh -c strings, under another path (/bin/rm), after options (git -C x
//     push). Where it cannot see whether it matches, the answer is at best Ask: a word that only shows when it runs may
//     be any file.
//   - What [Policy.Suggest] returns, and what an allowing [Option] stores, allows the call.
//   - No input makes it panic.
//
// It does not resolve links: the paths of a [Call] are already resolved, and
// [Files] names those that a command line's redirections add, where bash runs it. It does not
// confine a command that is allowed, and it knows nothing of what a program
// does with its arguments beyond the tables of package shell.
package permission
