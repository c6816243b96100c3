package fence

// entry is a path of a table, with the reason why it is there.
type entry struct{ path, why string }

// hidden is what a command has no business with, wherever it is told to look.
var hidden = []entry{
	{"~/.ssh", "keys, and where they lead"},
	{"~/.gnupg", "keys"},
	{"~/.aws", "cloud"}, {"~/.azure", "cloud"}, {"~/.config/gcloud", "cloud"}, {"~/.oci", "cloud"}, {"~/.kube", "clusters"},
	{"~/.config/doctl", "cloud"}, {"~/.config/hcloud", "cloud"}, {"~/.config/rclone", "cloud"}, {"~/.s3cfg", "cloud"}, {"~/.boto", "cloud"},
	{"~/.terraform.d", "cloud"}, {"~/.vault-token", "secrets"}, {"~/.config/op", "secrets"}, {"~/.password-store", "secrets"},
	{"~/.config/sops", "keys"}, {"~/.config/age", "keys"}, {"~/.local/share/keyrings", "secrets"}, {"~/.local/share/kwalletd", "secrets"},
	{"~/.docker", "registries"}, {"~/.config/containers", "registries"}, {"~/.netrc", "passwords"}, {"~/.git-credentials", "passwords"},
	{"~/.config/git/credentials", "passwords"}, {"~/.config/gh", "tokens"}, {"~/.config/glab-cli", "tokens"}, {"~/.config/hub", "tokens"},
	{"~/.pypirc", "tokens"}, {"~/.gem/credentials", "tokens"}, {"~/.cargo/credentials", "tokens"}, {"~/.cargo/credentials.toml", "tokens"},
	{"~/.pgpass", "passwords"}, {"~/.my.cnf", "passwords"}, {"~/.mylogin.cnf", "passwords"}, {"~/.m2/settings-security.xml", "passwords"},
	{"~/.mozilla", "browser"}, {"~/.thunderbird", "mail"}, {"~/.config/google-chrome", "browser"}, {"~/.config/chromium", "browser"},
	{"~/.config/BraveSoftware", "browser"}, {"~/.config/microsoft-edge", "browser"}, {"~/.config/vivaldi", "browser"},
	{"~/.config/opera", "browser"}, {"~/.cache/mozilla", "browser"}, {"~/.cache/google-chrome", "browser"}, {"~/.cache/chromium", "browser"},
	{"~/snap", "applications, browsers among them"}, {"~/.var/app", "applications, browsers among them"},
	{"~/.config/Signal", "messages"}, {"~/.config/Slack", "messages"}, {"~/.config/discord", "messages"}, {"~/.local/share/evolution", "mail"},
	{"~/.bitcoin", "wallet"}, {"~/.ethereum", "wallet"}, {"~/.electrum", "wallet"}, {"~/.config/solana", "wallet"},
	{"~/.bash_history", "what was typed"}, {"~/.zsh_history", "what was typed"}, {"~/.local/share/fish/fish_history", "what was typed"},
	{"~/.python_history", "what was typed"}, {"~/.node_repl_history", "what was typed"}, {"~/.psql_history", "what was typed"},
	{"~/.claude", "another agent's keys and sessions"}, {"~/.claude.json", "another agent's keys"}, {"~/.codex", "another agent's keys and sessions"},
	{"~/.gemini", "another agent's keys and sessions"}, {"~/.config/github-copilot", "another agent's keys"},
	{"~/.Xauthority", "the screen"}, {"~/.ICEauthority", "the screen"},
	{"/etc/shadow", "passwords"}, {"/etc/gshadow", "passwords"}, {"/etc/ssl/private", "keys"},
	{"/var/lib/docker", "other containers"}, {"/var/lib/containers", "other containers"},
}

// blanked are files whose absence or refusal programs do not take well.
var blanked = []entry{
	{"~/.npmrc", "npm reads it at each start; it may hold tokens"},
	{"~/.yarnrc.yml", "yarn reads it at each start; it may hold tokens"},
}

// guarded are what git, a shell or Parley take commands from without being asked, relative to the workspace.
var guarded = []entry{
	{".parley", "Parley's own settings of the project"},
	{".envrc", "direnv runs it when a shell enters the folder"},
}

// store is a cache of a table.
type store struct {
	entry
	// variable moves the cache elsewhere: it is set where the folder does not exist, since no command can
	// make it then. "" where nothing does.
	variable string
}

// caches are what builds fill and read again. A command gets a layer of its own over each.
var caches = []store{
	{entry{"~/.cache", "go build, pip, yarn, uv, ccache and most others, by the XDG specification"}, ""},
	{entry{"~/go/pkg", "Go: modules and their checksums"}, "GOPATH"},
	{entry{"~/.npm", "npm"}, "npm_config_cache"},
	{entry{"~/.local/share/pnpm", "pnpm: its store"}, ""},
	{entry{"~/.bun/install", "bun"}, "BUN_INSTALL_CACHE_DIR"},
	{entry{"~/.cargo", "cargo: its registry and locks"}, "CARGO_HOME"},
	{entry{"~/.gradle", "Gradle"}, "GRADLE_USER_HOME"},
	{entry{"~/.m2", "Maven"}, ""},
	{entry{"~/.ivy2", "Ivy and sbt"}, ""},
	{entry{"~/.nuget/packages", "NuGet"}, "NUGET_PACKAGES"},
	{entry{"~/.gem", "RubyGems"}, ""},
	{entry{"~/.pub-cache", "Dart"}, "PUB_CACHE"},
	{entry{"~/.hex", "Elixir"}, "HEX_HOME"},
	{entry{"~/.mix", "Elixir"}, "MIX_HOME"},
}

// elsewhere are variables by which people move a cache, with what is below them that is one.
var elsewhere = [][2]string{
	{"XDG_CACHE_HOME", ""}, {"GOCACHE", ""}, {"GOMODCACHE", ""}, {"GOPATH", "pkg"}, {"npm_config_cache", ""}, {"CARGO_HOME", ""},
	{"PIP_CACHE_DIR", ""}, {"YARN_CACHE_FOLDER", ""}, {"GRADLE_USER_HOME", ""}, {"CCACHE_DIR", ""}, {"UV_CACHE_DIR", ""},
}

// quiet are variables by which programs leave out what nobody asked them for: they would look for news of
// themselves, and each refused host is a question to a person.
var quiet = []entry{
	{"npm_config_update_notifier=false", "npm"}, {"NO_UPDATE_NOTIFIER=1", "programs of Node"}, {"PIP_DISABLE_PIP_VERSION_CHECK=1", "pip"},
	{"DOTNET_CLI_TELEMETRY_OPTOUT=1", ".NET"}, {"NEXT_TELEMETRY_DISABLED=1", "Next.js"}, {"CHECKPOINT_DISABLE=1", "Terraform and its kin"},
	{"DO_NOT_TRACK=1", "many"},
}

// seen are what of /run a command sees: where it has sockets of the user's session and of the machine.
var seen = []entry{
	{"/run/current-system", "NixOS: the programs"}, {"/run/booted-system", "NixOS: the programs"}, {"/run/wrappers", "NixOS: the programs"},
	{"/run/opengl-driver", "NixOS: drivers"}, {"/run/systemd/resolve/resolv.conf", "names"}, {"/run/systemd/resolve/stub-resolv.conf", "names"},
	{"/run/resolvconf", "names"}, {"/run/NetworkManager/resolv.conf", "names"}, {"/run/NetworkManager/no-stub-resolv.conf", "names"},
	{"/run/utmp", "who is logged in"},
}

// later are what runs later, outside of the fence, without anybody looking at it again: a person is told
// when a command changed one. Relative to the workspace; a folder stands for all in it.
var later = []entry{
	{"Makefile", "make"}, {"makefile", "make"}, {"GNUmakefile", "make"}, {"justfile", "just"}, {"Taskfile.yml", "task"}, {"Rakefile", "rake"},
	{"package.json", "npm: scripts"}, {".npmrc", "npm"}, {".yarnrc.yml", "yarn"}, {".yarn", "yarn: plugins and releases"}, {".pnpmfile.cjs", "pnpm"},
	{".husky", "hooks"}, {".githooks", "hooks"}, {".pre-commit-config.yaml", "hooks"}, {"lefthook.yml", "hooks"}, {".lintstagedrc", "hooks"},
	{".gitattributes", "git: filters"}, {".gitmodules", "git: repositories inside"},
	{"AGENTS.md", "what agents are told"}, {"CLAUDE.md", "what agents are told"}, {"GEMINI.md", "what agents are told"},
	{".cursorrules", "what agents are told"}, {".cursor", "what agents are told"}, {".claude", "what agents run"}, {".codex", "what agents run"},
	{".gemini", "what agents run"}, {".github", "what runs at the host"}, {".gitlab-ci.yml", "what runs at the host"}, {".circleci", "what runs at the host"},
	{"Jenkinsfile", "what runs at the host"}, {".vscode", "what the editor runs"}, {".idea", "what the editor runs"}, {".devcontainer", "what the editor runs"},
	{".vimrc", "what the editor runs"}, {".nvimrc", "what the editor runs"}, {".exrc", "what the editor runs"}, {".dir-locals.el", "what the editor runs"},
	{"setup.py", "pip"}, {"setup.cfg", "pip"}, {"pyproject.toml", "pip"}, {"conftest.py", "pytest"}, {"tox.ini", "tox"}, {"noxfile.py", "nox"}, {"sitecustomize.py", "python"},
	{"build.rs", "cargo"}, {".cargo", "cargo: its settings"}, {"Cargo.toml", "cargo"}, {"rust-toolchain.toml", "rustup"}, {"rust-toolchain", "rustup"},
	{"go.mod", "go: toolchain and replacements"}, {"go.work", "go"}, {"build.gradle", "Gradle"}, {"build.gradle.kts", "Gradle"}, {"gradlew", "Gradle"},
	{"gradle", "Gradle: its wrapper"}, {"pom.xml", "Maven"}, {"mvnw", "Maven"}, {".mvn", "Maven"}, {"Gemfile", "bundler"}, {".bundle", "bundler"},
	{"CMakeLists.txt", "cmake"}, {"configure", "autoconf"}, {"Dockerfile", "docker"}, {"docker-compose.yml", "docker"}, {"compose.yaml", "docker"},
	{".tool-versions", "asdf and mise"}, {".mise.toml", "mise"}, {"mise.toml", "mise"}, {"flake.nix", "nix"}, {"shell.nix", "nix"}, {"default.nix", "nix"},
	{"Vagrantfile", "vagrant"}, {"Procfile", "foreman"}, {".bashrc", "a shell"}, {".profile", "a shell"}, {".zshrc", "a shell"},
}
