// Package permission decides whether a tool call may run: a pure function of
// a policy and a call, with no I/O and no clock.
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
// A command line is read as bash reads it. Each simple command of it must be
// allowed, and each file that it redirects into. What only shows when the line
// runs (an expansion in the place of the command, $(…), eval, sh -c, a
// function) is never covered by a rule on some command, only by the rules bash
// and *. The wrappers nohup, nice, timeout, env, xargs and find -exec are read
// through: the command they run must be allowed.
//
// Guaranteed, and fuzzed:
//   - Adding a deny or an ask rule never turns a refusal or a question into an
//     allowance; adding an allow rule never turns an allowance into less.
//   - A deny rule also sees commands inside substitutions, wrappers and
//     sh -c strings, under another path (/bin/rm), after options (git -C x
//     push). Where it cannot see whether it matches, the answer is at best Ask.
//   - What [Suggest] returns, and what an allowing [Option] stores, allows the call.
//   - No input makes it panic.
//
// It does not resolve links: the paths of a [Call] are already resolved, and
// [Files] names those that a command line's redirections add. It does not
// confine a command that is allowed, and it knows nothing of what a program
// does with its arguments beyond the tables of wrappers and warnings.
package permission
