package shell

// wrapper describes a program that runs the command in its words: how its options are read, to find where the command begins. An
// option that is not listed makes that place unknown.
type wrapper struct {
	flags    string   // one-letter options without a value
	values   string   // one-letter options with a value
	long     []string // long options; with a value where they end in =
	digits   bool     // -5 is an option
	operands int      // words before the command
	set      bool     // NAME=VALUE may stand before the command
	appends  bool     // further words are added when it runs
	// whole says that it runs that command and nothing else, as it stands.
	whole bool
}

// wrappers are read through: to deny, and to allow where they are whole. Sources: POSIX.1-2024 utilities, the manuals of GNU
// coreutils and findutils, util-linux, sudo(8), bash(1).
var wrappers = map[string]wrapper{
	"env": {flags: "0iv", values: "uC", long: []string{"ignore-environment", "null", "debug", "unset=", "chdir="}, set: true, whole: true},
	"ionice": {flags: "t", values: "cn", whole: true,
		long: []string{"ignore", "class=", "classdata="}},
	"nice":   {values: "n", long: []string{"adjustment="}, digits: true, whole: true},
	"nohup":  {whole: true},
	"stdbuf": {values: "ioe", long: []string{"input=", "output=", "error="}, whole: true},
	"timeout": {flags: "fpv", values: "ks", operands: 1, whole: true,
		long: []string{"foreground", "preserve-status", "verbose", "kill-after=", "signal="}},

	"builtin":    {},
	"caffeinate": {flags: "disu", values: "t"},
	"chroot":     {operands: 1, long: []string{"groups=", "userspec=", "skip-chdir"}},
	"chrt":       {flags: "abdfior", operands: 1},
	"command":    {flags: "p"},
	"doas":       {flags: "n", values: "uC"},
	"exec":       {flags: "cl", values: "a"},
	"setsid":     {flags: "cfw", long: []string{"ctty", "fork", "wait"}},
	"sudo": {flags: "AbEHkKnPS", values: "CghprRtTuU", set: true,
		long: []string{"non-interactive", "preserve-env", "set-home", "stdin", "user=", "group="}},
	"taskset": {flags: "a", operands: 1},
	"time":    {flags: "apqv", values: "fo", long: []string{"append", "portability", "quiet", "verbose", "format=", "output="}},
	"xargs": {flags: "0rtxop", values: "InLPsdEa", appends: true,
		long: []string{"null", "no-run-if-empty", "verbose", "exit", "open-tty", "max-args=", "max-lines=", "max-procs=",
			"max-chars=", "delimiter=", "arg-file=", "replace="}},
}

// runners also run what they are told, in ways that are not read here: any of their words may begin a command, or be the text of
// one. A rule must name two words of them.
var runners = set("at batch bunx bwrap busybox chronic coproc crontab dbus-run-session direnv docker entr expect faketime firejail " +
	"flock gdb hyperfine kubectl launchctl ltrace machinectl mise nerdctl nix-shell nodemon npx nsenter numactl parallel perf pkexec " +
	"podman proxychains rlwrap rsh runuser script setarch ssh strace su systemd-run toybox unbuffer unshare uvx valgrind watch " +
	"watchexec xvfb-run")

// managers run what they are told with some of their commands (npm exec, uv run); they count as runners, but a rule may name all
// of what they do.
var managers = set("bun bundle cargo corepack nix npm pipenv pnpm poetry uv yarn")

// shells run text as commands.
var shells = set("ash bash csh dash fish ksh mksh pwsh sh tcsh zsh")

// evaluators are builtins of a shell that run text, or text that they are given earlier.
var evaluators = set(". alias bind compgen complete enable eval fc hash source trap")

// actions of find run a command, which ends with ; or + after {}; changes remove or write files.
var (
	actions = set("-exec -execdir -ok -okdir")
	changes = set("-delete -fprint -fprint0 -fprintf -fls")
)

// gitValues are options of git itself that take the next word.
var gitValues = set("-C -c --git-dir --work-tree --namespace --exec-path --super-prefix --config-env --attr-source --list-cmds")

// gitCommands are those that no alias can hide.
var gitCommands = set("add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore check-ref-format " +
	"checkout cherry cherry-pick clean clone column commit commit-graph commit-tree config count-objects describe diff diff-files " +
	"diff-index diff-tree difftool fast-export fast-import fetch filter-branch for-each-ref format-patch fsck gc grep hash-object " +
	"help index-pack init interpret-trailers log ls-files ls-remote ls-tree maintenance merge merge-base merge-file merge-tree " +
	"mergetool mktag mktree mv name-rev notes pack-objects pack-refs patch-id prune pull push range-diff read-tree rebase reflog " +
	"remote repack replace request-pull rerere reset restore rev-list rev-parse revert rm send-email shortlog show show-branch " +
	"show-ref sparse-checkout stage stash status submodule switch symbolic-ref tag unpack-objects update-index update-ref var " +
	"verify-commit verify-pack verify-tag version whatchanged worktree write-tree")

// gitRunning are the options of git's commands whose value git runs, or takes as its configuration; -O is attached only.
var gitRunning = map[string][]string{
	"archive":       fields("--exec"),
	"clone":         fields("-u -c --upload-pack --config --template"),
	"difftool":      fields("-x --extcmd --tool"),
	"fetch":         fields("--upload-pack"),
	"filter-branch": fields("--setup --tree-filter --msg-filter --env-filter --index-filter --parent-filter --commit-filter --tag-name-filter"),
	"grep":          fields("-O --open-files-in-pager"),
	"init":          fields("--template"),
	"ls-remote":     fields("--upload-pack --exec"),
	"mergetool":     fields("--tool"),
	"pull":          fields("--upload-pack"),
	"push":          fields("--receive-pack --exec"),
	"rebase":        fields("-x --exec"),
	"send-email":    fields("--smtp-server --sendmail-cmd --to-cmd --cc-cmd"),
}

// gitFollows are words of git's commands after which a command follows.
var gitFollows = map[string]string{"bisect": "run", "submodule": "foreach"}
