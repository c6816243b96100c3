package shell

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/test/need"
)

// poisons are variables with which a real program does what its words do not say. $W is a folder with the files of poisonFiles. Each is
// shown by the file PWN there, or by said in what is printed; without the table they all work.
var poisons = []struct {
	line string
	env  []string
	said string
}{
	{"git diff", []string{"GIT_EXTERNAL_DIFF=touch $W/PWN"}, ""},
	{"git status", []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0=touch $W/PWN;false"}, ""},
	{"git ls-remote ssh://host/x", []string{"GIT_SSH_COMMAND=touch $W/PWN; false"}, ""},
	{"git status", []string{"GIT_TRACE=$W/PWN"}, ""},
	{"git status", []string{"GIT_EXEC_PATH=$W", "GIT_TRACE2_EVENT=$W/PWN"}, ""},
	{"git commit --allow-empty", []string{"EDITOR=touch $W/PWN; false"}, ""},
	{"make -f plain.mk", []string{"MAKEFLAGS=-- SHELL=$W/evil.sh"}, ""},
	{"make -f plain.mk", []string{"GNUMAKEFLAGS=SHELL=$W/evil.sh"}, ""},
	{"make -f plain.mk", []string{"MAKEFILES=$W/evil.mk"}, ""},
	{"make -f plain.mk -B x.o", []string{"CC=touch $W/PWN; true"}, ""},
	{"python3 -c pass", []string{"PYTHONPATH=$W/py"}, ""},
	{"python3 -c pass", []string{"PYTHONWARNINGS=ignore::evil.X", "PYTHONPATH=$W/py"}, ""},
	{"node -e 0", []string{"NODE_OPTIONS=--require=$W/evil.js"}, ""},
	{"perl -e 0", []string{"PERL5OPT=-Mevil", "PERL5LIB=$W"}, ""},
	{"perl -d:evil -e 0", []string{"PERL5LIB=$W/Devel"}, ""},
	{"bash plain.sh", []string{"BASH_ENV=$W/evil.sh"}, ""},
	{"bash plain.sh", []string{"BASH_FUNC_ls%%=() { touch $W/PWN; }"}, ""},
	{"tar -cf /dev/null plain.sh", []string{"TAR_OPTIONS=--checkpoint=1 --checkpoint-action=exec=touch\\ $W/PWN"}, ""},
	{"ls", []string{"LD_PRELOAD=$W/nosuch.so"}, "nosuch.so"},
	{"ls", []string{"LD_DEBUG=help"}, "Valid options"},
	{"go env GOFLAGS", []string{"GOFLAGS=-toolexec=evil"}, "evil"},
	{"npm --version", []string{"NODE_OPTIONS=--require=$W/evil.js"}, ""},
	{"rg foo", []string{"RIPGREP_CONFIG_PATH=$W/evil.rg"}, ""},
	{"ruby -e 0", []string{"RUBYOPT=-r$W/evil.rb"}, ""},
	{"gawk -f plain.awk", []string{"AWKPATH=$W/awk"}, "evil"},
	{"java -version", []string{"JAVA_TOOL_OPTIONS=-Xevil"}, "evil"},
}

var poisonFiles = map[string]string{
	"evil.mk": "$(shell touch $W/PWN)\n", "plain.mk": "all:\n\t@true\n", "x.c": "", "evil.js": "require('fs').writeFileSync('$W/PWN', '')\n",
	"py/sitecustomize.py": "open('$W/PWN', 'w')\n", "py/evil.py": "open('$W/PWN', 'w')\n", "evil.pm": "open(F, '>', '$W/PWN'); 1;\n",
	"Devel/Devel/evil.pm": "package Devel::evil; open(F, '>', '$W/PWN'); sub DB::DB {} 1;\n", "evil.sh": "#!/bin/sh\ntouch $W/PWN\n", "plain.sh": "ls > /dev/null\n",
	"evil.rg": "--pre=$W/evil.sh\n", "evil.rb": "File.write('$W/PWN', '')\n", "tracked": "old\n",
}

// No variable of the person's makes an allowed program do something else, as real programs show that are here.
func TestEnvironment(t *testing.T) {
	need.Time(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range poisonFiles {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(strings.ReplaceAll(content, "$W", dir)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	setUp := exec.Command("sh", "-c", "git init -q && git config user.name x && git config user.email x@x && git add tracked && git commit -qm x && echo new > tracked")
	// Where git itself runs these tests, its variables name another repository.
	setUp.Dir, setUp.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}
	if out, err := setUp.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	m := machine{root: dir, disk: openDisk(t, dir)}
	base := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1"}
	shown := 0
	for _, p := range poisons {
		name, _, _ := strings.Cut(p.line, " ")
		if _, err := exec.LookPath(name); err != nil {
			continue
		}
		var env []string
		for _, v := range p.env {
			env = append(env, strings.ReplaceAll(v, "$W", dir))
		}
		without := poisoned(t, m, p.line, base, p.said, false)
		if with := poisoned(t, m, p.line, slices.Concat(base, env), p.said, true); !with || without {
			t.Logf("%s %q shows nothing here", p.line, p.env)
			continue
		}
		shown++
		if poisoned(t, m, p.line, slices.Concat(base, env), p.said, false) {
			t.Errorf("%s %q: it did more than its words say", p.line, p.env)
		}
	}
	t.Logf("%d of %d shown", shown, len(poisons))
	if shown < 8 {
		t.Errorf("only %d variables could be shown to work without the table", shown)
	}
}

// poisoned says whether the line did what it should not, with the environment as it is or as a plan's.
func poisoned(t *testing.T, m machine, line string, env []string, said string, raw bool) bool {
	t.Helper()
	pwn := filepath.Join(m.root, "PWN")
	os.Remove(pwn)
	var out bytes.Buffer
	fields := strings.Fields(line)
	if raw {
		cmd := exec.Command(fields[0], fields[1:]...)
		cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = m.root, env, &out, &out
		_ = cmd.Run()
	} else {
		p, err := planned(m.disk.World(env, nil), line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		null, err := os.Open(os.DevNull)
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() { _, _ = out.ReadFrom(read); read.Close(); close(done) }()
		if _, err := p.Run(t.Context(), m.host(), Streams{null, write, write}); err != nil {
			t.Fatal(err)
		}
		null.Close()
		write.Close()
		<-done
	}
	_, err := os.Stat(pwn)
	return err == nil || said != "" && strings.Contains(out.String(), said)
}

// What a program gets of an environment, name by name.
func TestExecutes(t *testing.T) {
	kept := fields(`HOME USER LANG LC_ALL TERM TZ CI EDITORS KUBECONFIG DOCKER_HOST AWS_PROFILE AWS_CONFIG_FILE GH_TOKEN SSH_AUTH_SOCK
		XDG_CONFIG_HOME XDG_RUNTIME_DIR GOPATH GOCACHE GOMODCACHE GOPROXY GOPRIVATE GONOSUMDB GOTOOLCHAIN GO111MODULE GOWORK CGO_ENABLED
		GOOS CARGO_HOME CARGO_TARGET_DIR CARGO_REGISTRIES_X_INDEX RUSTUP_HOME RUSTUP_TOOLCHAIN RUST_BACKTRACE NODE_ENV NPM_CONFIG_REGISTRY
		NPM_CONFIG_IGNORE_SCRIPTS PIP_INDEX_URL PIP_CONFIG_FILE VIRTUAL_ENV PYTHONUNBUFFERED DJANGO_SETTINGS_MODULE DATABASE_URL
		GIT_AUTHOR_NAME GIT_COMMITTER_DATE GIT_CONFIG_GLOBAL JAVA_HOME GRADLE_USER_HOME HTTP_PROXY https_proxy NO_COLOR
		PARLEY_CALL LESS_IS_MORE_X DBUS_SESSION_BUS_ADDRESS TMPDIR SHELL LOGNAME MAIL`)
	for _, name := range kept {
		if reason := Executes(name); reason != "" && name != "LESS_IS_MORE_X" {
			t.Errorf("%s is kept from programs: %s", name, reason)
		}
	}
	dropped := fields(`LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES GCONV_PATH GLIBC_TUNABLES OPENSSL_CONF BASH_ENV ENV IFS
		CDPATH PS4 SHELLOPTS BASHOPTS BASH_FUNC_ls%% BASH_FUNC_x() POSIXLY_CORRECT GIT_SSH GIT_SSH_COMMAND GIT_DIR GIT_CONFIG_COUNT
		GIT_CONFIG_KEY_0 GIT_EXTERNAL_DIFF GIT_PAGER GIT_EXEC_PATH GIT_TRACE GIT_TEMPLATE_DIR GIT_PROXY_COMMAND PAGER MANPAGER SYSTEMD_PAGER
		EDITOR VISUAL KUBE_EDITOR LESSOPEN LESS BROWSER GH_BROWSER SSH_ASKPASS SUDO_ASKPASS RSYNC_RSH CVS_RSH SVN_SSH GOFLAGS GOENV
		GOCACHEPROG GOAUTH GODEBUG CGO_CFLAGS CGO_LDFLAGS_ALLOW CC CXX LDFLAGS MAKEFLAGS MAKEFILES CMAKE_C_COMPILER_LAUNCHER RUSTC_WRAPPER
		RUSTFLAGS CARGO_BUILD_RUSTC_WRAPPER CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER CARGO_ALIAS_B
		CARGO_REGISTRY_GLOBAL_CREDENTIAL_PROVIDERS NODE_OPTIONS NODE_PATH npm_config_script_shell NPM_CONFIG_NODE_OPTIONS npm_config_script-shell
		BUN_OPTIONS YARN_YARN_PATH PYTHONPATH PYTHONSTARTUP PYTHONHOME PYTHONBREAKPOINT PYTEST_ADDOPTS PYTEST_PLUGINS PERL5OPT PERL5LIB PERL5DB
		RUBYOPT RUBYLIB GEM_HOME BUNDLE_GEMFILE JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS MAVEN_OPTS GRADLE_OPTS CLASSPATH
		DOTNET_STARTUP_HOOKS CORECLR_PROFILER LUA_INIT LUA_INIT_5_4 R_PROFILE_USER ERL_FLAGS ERL_AFLAGS AWKPATH PHPRC VIMINIT TAR_OPTIONS
		GREP_OPTIONS RIPGREP_CONFIG_PATH FZF_DEFAULT_COMMAND ASAN_OPTIONS HELM_PLUGINS TF_CLI_ARGS KUBECTL_EXTERNAL_DIFF PWD OLDPWD _`)
	for _, name := range dropped {
		if Executes(name) == "" {
			t.Errorf("%s is not kept from programs", name)
		}
	}
	for _, name := range harmless {
		if Executes(strings.ReplaceAll(name, "*", "X")) != "" {
			t.Errorf("%s is kept and is not", name)
		}
	}
	for _, row := range executing {
		for _, pattern := range row.names {
			if pattern != strings.ToUpper(pattern) || row.reason == "" {
				t.Errorf("%s: %s", row.reason, pattern)
			}
		}
	}
}

// Bash is given the person's environment but what it would obey itself.
func TestBashEnvironment(t *testing.T) {
	got := BashEnvironment(fields("A=1 BASH_ENV=x BASH_FUNC_ls%%=x ENV=x SHELLOPTS=x BASHOPTS=x LD_PRELOAD=x broken PATH=.:/x"))
	if want := Unattended(fields("A=1 LD_PRELOAD=x PATH=.:/x")); !slices.Equal(got, want) {
		t.Errorf("%v, want %s", got, want)
	}
}
