package shell

// Options that several commands of git share.
const (
	gitDiff = `-p -u -s -R -a -b -w -W -z -U: -M? -C? -B? -S: -G: -D --raw --stat? --numstat --shortstat --dirstat? --compact-summary
		--name-only --name-status --summary --patch --no-patch --patch-with-stat --no-color --color? --word-diff? --color-words?
		--color-moved? --check --full-index --binary --abbrev? --diff-filter: --pickaxe-all --pickaxe-regex --ignore-all-space
		--ignore-space-change --ignore-space-at-eol --ignore-blank-lines --ignore-cr-at-eol --function-context --exit-code --quiet
		--no-ext-diff --no-textconv --text --minimal --patience --histogram --diff-algorithm: --find-renames? --find-copies?
		--no-renames --inter-hunk-context: --unified: --relative? --no-prefix --submodule? --ignore-submodules?
		--ws-error-highlight: `
	gitLog = gitDiff + `-n: -i -E -F -P -c -m -g -t -# -L: --cc --oneline --max-count: --skip: --since: --after: --until: --before:
		--author: --committer: --grep: --all-match --invert-grep --merges --no-merges --first-parent --all --branches? --tags?
		--remotes? --reverse --graph --decorate? --no-decorate --pretty? --format? --date: --abbrev-commit --no-abbrev-commit
		--follow --left-right --cherry-pick --cherry --topo-order --date-order --author-date-order --parents --source
		--relative-date --boundary --simplify-by-decoration --full-history --dense --sparse --walk-reflogs --no-walk?`
)

// Options that several commands of go, of cargo and of npm share.
const (
	goBuild = `-a -n -p: -race -msan -asan -v -work -x -buildmode: -buildvcs? -mod: -modcacherw -trimpath -tags: -cover -covermode:
		-coverpkg: `
	goTest = goBuild + `-bench: -benchmem -benchtime: -count: -cpu: -failfast -fullpath -fuzz: -fuzztime: -fuzzminimizetime: -json
		-list: -parallel: -run: -short -shuffle: -skip: -timeout: -vet:w -coverprofile:f`
	cargoBuild = `-q -v -r -p: -j: -F: --quiet --verbose --package: --workspace --all --exclude: --lib --bins --bin: --examples --example:
		--tests --test: --benches --bench: --all-targets --release --profile:w --features: --all-features --no-default-features
		--jobs: --keep-going --locked --offline --frozen --message-format:w --color:w --ignore-rust-version
		--future-incompat-report `
	npmScript = `-s -w:w --silent --if-present --workspaces --workspace:w --include-workspace-root`
	rustTest  = `--nocapture --test-threads: --ignored --include-ignored --exact --skip: --show-output --list --quiet -q`
)

// uses is the table. It holds what coding agents run most; a program that is not in it is remembered by the exact line only.
var uses = []use{
	// git. It obeys the configuration of the repository, which is not among its words.
	{names: "git status", options: `-s -b -u? -v -z --short --branch --porcelain? --long --ignored? --untracked-files? --show-stash
		--ahead-behind --no-ahead-behind --renames --no-renames --verbose`, operands: names},
	{names: "git diff|git diff-tree", options: gitDiff + `-r --cached --staged --merge-base`, operands: names},
	{names: "git log|git show|git whatchanged|git reflog show", options: gitLog, operands: names},
	{names: "git rev-list", options: gitLog + ` --count --objects --no-object-names`, operands: names},
	{names: "git shortlog", options: `-s -n -e -c --summary --numbered --email --since: --until: --all --no-merges`, operands: names},
	{names: "git blame", options: `-w -s -e -l -t -p -c -n -f -M? -C? -L: --since: --date: --porcelain --line-porcelain --show-email
		--show-name --show-number`, operands: names},
	{names: "git branch", options: `-a -r -v -l --all --remotes --list --show-current --contains: --no-contains: --merged: --no-merged:
		--sort: --format: --color? --no-color --points-at: --column? --verbose`},
	{names: "git tag", options: `-l -n? --list --sort: --contains: --points-at: --merged: --format: --column?`},
	{names: "git remote", options: `-v --verbose`},
	{names: "git remote get-url", options: `--all --push`, operands: words},
	{names: "git stash list", options: `-p -n: --stat? --oneline --date: --format?`},
	{names: "git stash show", options: gitDiff, operands: names},
	{names: "git worktree list", options: `-v --verbose --porcelain`},
	{names: "git describe", options: `--tags --always --long --all --exact-match --contains --first-parent --dirty? --abbrev? --match:`,
		operands: names},
	{names: "git rev-parse", options: `-q --abbrev-ref? --short? --show-toplevel --show-prefix --git-dir --is-inside-work-tree --verify
		--quiet --symbolic-full-name --all --branches? --tags?`, operands: names},
	{names: "git ls-files", options: `-c -d -m -o -i -s -u -t -v -z --cached --deleted --modified --others --ignored --stage --unmerged
		--exclude-standard --error-unmatch --full-name --directory --eol`, operands: names},
	{names: "git ls-tree", options: `-r -d -t -l -z --name-only --name-status --full-tree --full-name --abbrev?`, operands: names},
	{names: "git merge-base", options: `-a --all --is-ancestor --octopus --independent`, operands: names},
	{names: "git cat-file", options: `-p -t -s -e`, operands: names},
	{names: "git check-ignore", options: `-v -n -q -z --verbose --non-matching`, operands: names},
	{names: "git count-objects", options: `-v -H`},
	{names: "git grep", options: `-n -i -w -v -E -F -P -G -l -L -c -W -p -h -H -q -o -I -a -e: -A: -B: -C: -m: --count --line-number
		--heading --break --cached --untracked --color? --max-depth: --name-only --files-with-matches --show-function`,
		operands: textAndFiles},
	{names: "git config --get|git config --get-all", options: `--global --local --system`, operands: words},
	{names: "git config --list|git config -l", options: `--global --local --system --show-origin --show-scope --name-only`},
	{names: "git add|git stage", options: `-A -u -v -n -N --all --update --verbose --dry-run --intent-to-add`, operands: files},
	{names: "git commit", options: `-a -q -v -s -m: --message: --all --quiet --amend --no-edit --allow-empty --signoff --no-gpg-sign`},
	{names: "git fetch", options: `-p -t -q -v --all --prune --tags --no-tags --depth: --unshallow --quiet --verbose --dry-run`,
		operands: refs},

	// go
	{names: "go test", options: goTest, operands: names, single: true},
	{names: "go build|go vet", options: goBuild + `-json`, operands: names, single: true},
	{names: "go list", options: goBuild + `-m -u -e -f: -json? -deps -test -find -versions -retracted -compiled -export`, operands: names,
		single: true},
	{names: "go fmt", options: `-n -x -mod:`, operands: names, single: true},
	{names: "go doc", options: `-all -short -src -u -c -cmd`, operands: names, single: true},
	{names: "go env", options: `-json -changed`, operands: words, single: true},
	{names: "go version", options: `-m -v`, operands: files, single: true},
	{names: "go mod tidy|go mod verify|go mod download|go mod graph", options: `-v -x -e -json -go:w -compat:w`, single: true},
	{names: "go mod why", options: `-m -vendor`, operands: names, single: true},
	{names: "gofmt", options: `-l -d -s -w -e`, operands: files, single: true},
	{names: "goimports", options: `-l -d -w -e -local:`, operands: files, single: true},
	{names: "golangci-lint run", options: `-v --verbose --fix --fast --new --timeout: --tests --color:w`, operands: names},
	{names: "staticcheck", options: `-checks: -tests -tags: -f:w`, operands: names, single: true},

	// rust
	{names: "cargo build|cargo check|cargo doc|cargo bench", options: cargoBuild + `--no-deps --document-private-items --no-run`},
	{names: "cargo test", options: cargoBuild + `--no-run --no-fail-fast --doc`, operands: words, rest: rustTest},
	{names: "cargo clippy", options: cargoBuild + `--no-deps --fix --allow-dirty --allow-staged`, rest: `-D: -W: -A: -F:`},
	{names: "cargo fmt", options: `-q -v -p: --all --check --quiet --verbose --package:`, rest: `--check`},
	{names: "cargo tree", options: `-d -i: -e: -p: --depth: --invert: --edges: --duplicates --workspace --package: --no-dedupe --locked --offline`},
	{names: "cargo metadata", options: `--format-version:w --no-deps --offline --locked`},
	{names: "rustfmt", options: `-q -v --check --edition:w`, operands: files},

	// node
	{names: "npm test|npm t|npm start|npm run *|npm run-script *", options: npmScript},
	{names: "npm ci|npm install|npm i", options: `-s --silent --no-audit --no-fund --ignore-scripts --prefer-offline --offline
		--legacy-peer-deps --omit:w --include:w --production`},
	{names: "npm ls|npm list|npm outdated|npm why|npm explain|npm view", options: `-a -l --all --long --json --depth:w
		--omit:w --production`, operands: names},
	{names: "npm audit", options: `--json --production --omit:w`},
	{names: "pnpm test|pnpm install|pnpm i|pnpm run *|pnpm ls|pnpm list|pnpm outdated", options: `-s -r -w --silent --recursive
		--frozen-lockfile --offline --prefer-offline --if-present --depth:w`},
	{names: "yarn|yarn test|yarn install|yarn build|yarn lint|yarn run *|yarn list|yarn outdated", options: `-s --silent
		--frozen-lockfile --immutable --offline`},
	{names: "bun test", options: `-t: --bail? --coverage --timeout: --only --todo`, operands: names},
	{names: "bun install|bun run *", options: `--frozen-lockfile --silent`},
	{names: "tsc|npx tsc|yarn tsc|pnpm tsc", options: `--noEmit --pretty --skipLibCheck --strict --listFiles --version -v`},
	{names: "eslint|npx eslint|yarn eslint|pnpm eslint", options: `--fix --quiet --max-warnings: --ext: --cache --no-warn-ignored
		--color --no-color`, operands: files},
	{names: "prettier|npx prettier|yarn prettier|pnpm prettier", options: `-c -w -l --check --write --list-different --log-level:w
		--ignore-unknown`, operands: files},
	{names: "jest|npx jest|yarn jest|pnpm jest", options: `-t: -i -b -u --testNamePattern: --runInBand --bail? --coverage --verbose
		--silent --watchAll:w --passWithNoTests --maxWorkers: --no-cache --colors`, operands: names},
	{names: "vitest|vitest run|npx vitest|npx vitest run|yarn vitest|pnpm vitest|pnpm vitest run", options: `-t: -u --run --coverage
		--bail: --testNamePattern: --silent --passWithNoTests --no-color`, operands: names},
	{names: "npx playwright test|npx mocha|mocha|npx biome check|biome check", options: `-g: --grep: --bail --quiet --workers:`,
		operands: files},

	// python
	{names: "pytest|python -m pytest|python3 -m pytest", options: pytest, operands: files},
	{names: "uv run pytest|poetry run pytest|pipenv run pytest", options: pytest, operands: files},
	{names: "python -m unittest|python3 -m unittest", options: `-v -q -f -b -k: --verbose --quiet --failfast --buffer`, operands: names},
	{names: "mypy|python -m mypy|python3 -m mypy", options: `-p: -m: -v --strict --ignore-missing-imports --show-error-codes --pretty
		--no-error-summary --no-incremental --check-untyped-defs --disallow-untyped-defs`, operands: files},
	{names: "ruff check", options: `-q -v --fix --diff --select: --ignore: --extend-select: --statistics --output-format:w --no-cache
		--unsafe-fixes --quiet --verbose`, operands: files},
	{names: "ruff format|black", options: `-q -v -l: --check --diff --quiet --verbose --line-length:`, operands: files},
	{names: "isort", options: `-c -q -v --check --check-only --diff --profile:w --quiet`, operands: files},
	{names: "flake8", options: `-v -q --count --statistics --select: --ignore: --extend-ignore: --max-line-length: --max-complexity:
		--show-source`, operands: files},
	{names: "pip list|pip3 list|pip freeze|pip3 freeze|pip check|pip3 check", options: `--outdated --format:w --local --user`},
	{names: "pip show|pip3 show", options: `-f -v --files --verbose`, operands: words},

	// builders and other languages
	{names: "make *|gmake *", options: `-s -k -n -i -B -w -q -j? --silent --quiet --keep-going --dry-run --always-make
		--no-print-directory`},
	{names: "make|gmake", options: `-s -k -n -i -B -w -q -j? --silent --quiet --keep-going --dry-run --always-make --no-print-directory`},
	{names: "ninja", options: `-v -n -j: -k:`, operands: words},
	{names: "ctest", options: `-V -N -R: -E: -j: -L: --output-on-failure --rerun-failed --verbose --no-tests:w`},
	{names: "mvn test|mvn compile|mvn package|mvn verify|mvn clean|./mvnw test|./mvnw compile|./mvnw package|./mvnw verify|./mvnw clean",
		options: `-q -B -o -X -e -U -ntp -DskipTests --quiet --batch-mode --offline`, single: true},
	{names: "gradle *|./gradlew *", options: `-q -s -i -x:w --quiet --info --stacktrace --no-daemon --offline --console:w --rerun-tasks
		--continue --parallel --tests:`},
	{names: "dotnet build|dotnet test|dotnet restore", options: `-c:w -v:w -f:w --configuration:w --verbosity:w --framework:w --no-build
		--no-restore --filter: --nologo`, operands: files},
	{names: "rspec|bundle exec rspec", options: `-b -f:w -e: -t: --format:w --example: --tag: --fail-fast? --color --no-color --seed:w
		--order: --only-failures --backtrace`, operands: files},
	{names: "rubocop|bundle exec rubocop", options: `-a -A -l --autocorrect --lint --format:w --only: --display-cop-names`, operands: files},
	{names: "phpunit|vendor/bin/phpunit|./vendor/bin/phpunit", options: `--filter: --testdox --stop-on-failure --colors? --group: --testsuite:`,
		operands: files},
	{names: "composer install|composer validate|composer test|composer show", options: `-n -q --no-interaction --no-progress --no-scripts
		--prefer-dist --quiet`},
	{names: "mix test|mix compile|mix format", options: `--trace --only: --exclude: --failed --stale --seed: --check-formatted
		--warnings-as-errors --force`, operands: files},
	{names: "swift build|swift test", options: `-c:w -v --configuration:w --filter: --verbose --parallel`},
	{names: "zig build *|zig build", options: `--verbose`},

	// machines and services
	{names: "docker ps|docker images|docker compose ps", options: `-a -q -s -l -n: -f: --all --quiet --no-trunc --filter: --format:`},
	{names: "docker logs|docker compose logs", options: `-t -n: --tail: --since: --until: --timestamps --details --no-color`,
		operands: words},
	{names: "kubectl get|kubectl describe|kubectl logs", options: `-A -n:w -o:w -l: -c:w -p --all-namespaces --namespace:w --output:w
		--selector: --show-labels --field-selector: --sort-by: --tail:w --since:w --previous --container:w`, operands: names},
	{names: "gh pr list|gh pr view|gh pr diff|gh pr checks|gh pr status|gh issue list|gh issue view|gh run list|gh run view",
		options:  `-s:w -L:w -R: -q: --state:w --limit:w --json: --jq: --repo: --author: --label: --comments --log-failed --log`,
		operands: words},
	{names: "terraform validate|terraform fmt|terraform version|tofu validate|tofu fmt", options: `-check -diff -recursive -no-color -json`,
		single: true},

	// files and text
	{names: "ls", options: `-a -A -b -B -c -C -d -F -g -G -h -i -k -l -L -m -n -o -p -q -Q -r -R -s -S -t -T? -u -U -x -X -Z -1 --all
		--almost-all --color? --directory --classify? --full-time --group-directories-first --human-readable --inode --recursive
		--reverse --size --sort:w --time:w --time-style:`, operands: files},
	{names: "cat", options: `-A -b -e -E -n -s -t -T -u -v --number --number-nonblank --show-all --show-ends --show-tabs --squeeze-blank`,
		operands: files},
	{names: "head|tail", options: `-n: -c: -q -v -z -# --lines: --bytes: --quiet --silent --verbose`, operands: files},
	{names: "wc", options: `-l -w -c -m -L --lines --words --bytes --chars --max-line-length`, operands: files},
	{names: "sort", options: `-b -d -f -g -i -M -h -n -R -r -V -u -s -z -c -C -k: -t: --reverse --unique --numeric-sort --key:
		--field-separator: --version-sort --human-numeric-sort`, operands: files},
	{names: "cut", options: `-d: -f: -c: -b: -s -n -z --delimiter: --fields: --complement --output-delimiter:`, operands: files},
	{names: "nl", options: `-b: -d: -h: -i: -n: -s: -v: -w:`, operands: files},
	{names: "tac", options: `-b -r -s:`, operands: files},
	{names: "fold", options: `-b -s -w:`, operands: files},
	{names: "paste", options: `-s -z -d:`, operands: files},
	{names: "comm", options: `-1 -2 -3 -z`, operands: files},
	{names: "rev", operands: files},
	{names: "grep|egrep|fgrep", options: `-i -v -n -c -l -L -q -s -o -w -x -E -F -G -P -h -H -a -b -z -r -I -e: -A: -B: -C: -m: -#
		--regexp: --ignore-case --invert-match --line-number --count --files-with-matches --files-without-match --quiet --silent
		--no-messages --only-matching --word-regexp --extended-regexp --fixed-strings --perl-regexp --no-filename --with-filename
		--recursive --include: --exclude: --exclude-dir: --max-count: --after-context: --before-context: --context? --color?`,
		operands: textAndFiles},
	{names: "rg", options: `-i -s -S -n -N -l -c -w -v -o -x -F -P -U -H -I -q -p -u -a -e: -t: -T: -g: -A: -B: -C: -m: -M: -d: -r: -j:
		--regexp: --files --type: --type-not: --glob: --iglob: --hidden --no-ignore --json --stats --sort:w --sortr:w --count
		--count-matches --files-with-matches --files-without-match --heading --no-heading --line-number --no-line-number
		--ignore-case --smart-case --case-sensitive --multiline --max-count: --max-depth: --max-columns: --color: --column
		--vimgrep --trim --pretty --fixed-strings --only-matching --context: --after-context: --before-context: --word-regexp
		--invert-match --type-list`, operands: textAndFiles},
	{names: "find", options: `-name: -iname: -path: -ipath: -wholename: -iwholename: -type: -maxdepth: -mindepth: -size: -mtime: -mmin:
		-ctime: -atime: -newer:f -empty -not -o -or -a -and -print -print0 -prune -regex: -iregex: -regextype:w -perm: -user: -group:
		-links: -depth -xdev -mount -ls -printf: -quit -executable -readable -writable -true -false`, operands: findOperands,
		single: true},
	{names: "diff", options: `-u -r -q -w -b -B -i -y -N -a -s -c -e -p -t -d -U: -C: -W: -x: -I: -# --brief --unified? --recursive
		--suppress-common-lines --side-by-side --ignore-all-space --ignore-space-change --ignore-blank-lines --strip-trailing-cr
		--color? --exclude: --new-file --report-identical-files`, operands: files},
	{names: "cmp", options: `-s -l -b -n: --silent --quiet`, operands: files},
	{names: "sed -n", operands: linesAndFiles},
	{names: "stat", options: `-c: -t -L --format: --printf: --terse`, operands: files},
	{names: "file", options: `-b -i -k -L -p --brief --mime --mime-type --mime-encoding`, operands: files},
	{names: "du", options: `-s -h -a -c -k -m -b -x -d: --max-depth: --apparent-size --summarize --human-readable --total`, operands: files},
	{names: "df", options: `-h -T -i -k -H --human-readable`, operands: files},
	{names: "tree", options: `-a -d -f -s -h -C -n -L: -I: -P: --dirsfirst --noreport --gitignore --prune --filelimit:`, operands: files},
	{names: "md5sum|sha1sum|sha256sum|sha512sum|cksum|shasum", options: `-a: -b -t`, operands: files},
	{names: "jq", options: `-r -c -e -s -n -S -M -C -j -a --tab --raw-output --compact-output --exit-status --slurp --null-input --sort-keys
		--monochrome-output --color-output --join-output --indent:`, operands: textAndFiles},
	{names: "mkdir", options: `-p -v --parents --verbose`, operands: files},
	{names: "touch", options: `-c -a -m --no-create`, operands: files},
	{names: "which", options: `-a`, operands: words},
	{names: "basename|dirname", options: `-a -z -s: --multiple --suffix:`, operands: textOperands},
	{names: "realpath|readlink", options: `-e -f -m -s -q -n --canonicalize`, operands: files},
	{names: "date", options: `-u -R -I? -d: --utc --date: --iso-8601? --rfc-3339:w`, operands: formats},
	{names: "uname", options: `-a -s -n -r -v -m -p -i -o`},
	{names: "sleep|seq", operands: words},
	{names: "nproc|whoami|id|hostname|arch|tty|uptime"},
	{names: "test|printf|expr", operands: anyOperands},
}

const pytest = `-v -q -s -x -l -k: -m: -n: -r: --tb:w --lf --ff --nf --sw --maxfail: --durations: --collect-only --co --no-header
	--no-summary --cov? --no-cov --color:w --disable-warnings --strict-markers --timeout:w --showlocals --exitfirst --last-failed
	--failed-first --stepwise --setup-show --capture:w --verbose --quiet`
