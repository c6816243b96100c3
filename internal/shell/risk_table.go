package shell

// risks is the table of risks, the worst first.
var risks = []riskRow{
	{RiskLoses, "rm", "-r -R -f --recursive --force …"},
	{RiskLoses, "rmdir|unlink", "…"},
	{RiskLoses, "chmod|chown|chgrp", "-R --recursive"},
	{RiskLoses, "git push", "-f -d --force --force-with-lease --mirror --delete --prune +…"},
	{RiskLoses, "git reset", "--hard --merge"},
	{RiskLoses, "git clean", "-f --force"},
	{RiskLoses, "git branch|git tag", "-d -D --delete"},
	{RiskLoses, "git checkout|git switch", ". -- -f --force --discard-changes"},
	{RiskLoses, "git restore|git filter-branch|git filter-repo", ""},
	{RiskLoses, "git stash", "drop clear"},
	{RiskLoses, "git reflog", "expire delete"},
	{RiskLoses, "git worktree|git submodule|git remote", "remove rm deinit --force -f"},
	{RiskLoses, "find", "-delete"},
	{RiskLoses, "fd|fdfind", "-x -X --exec --exec-batch"},
	{RiskLoses, "kill", "-9 -1 -KILL -SIGKILL"},
	{RiskLoses, "killall|pkill|truncate|dropdb|shred|wipefs", ""},
	{RiskLoses, "rsync", "--delete --delete-before --delete-after --delete-excluded --remove-source-files"},
	{RiskLoses, "crontab", "-r"},
	{RiskLoses, "kubectl delete|kubectl drain|helm uninstall|helm delete|terraform destroy|tofu destroy|pulumi destroy", ""},
	{RiskLoses, "docker|podman|nerdctl", "prune"},
	{RiskLoses, "docker rm|docker rmi|docker kill|podman rm|podman rmi|podman kill", ""},
	{RiskLoses, "docker compose", "down rm kill"},
	{RiskLoses, "dd|fdisk|mkfs|mkfs.*|mkswap|parted|sfdisk|shutdown|reboot|halt|poweroff", ""},

	{RiskRaises, "sudo|doas|su|pkexec|runuser", ""},

	{RiskPublishes, "git push|docker push|npm publish|pnpm publish|yarn publish|bun publish|cargo publish|gem push|twine upload", ""},
	{RiskPublishes, "kubectl apply|kubectl create|kubectl patch|helm install|helm upgrade|terraform apply|tofu apply|pulumi up", ""},

	{RiskDownloads, "curl|wget|http|https|aria2c", ""},
	{RiskConnects, "curl|wget|http|https|aria2c|ssh|scp|sftp|rsync|nc|ncat|netcat|socat|telnet|ftp|rsh|mosh", ""},

	{RiskReaches, "git clone|git fetch|git ls-remote|git pull|git push|git submodule", ""},
	{RiskReaches, "go get|go install|cargo fetch|cargo install|cargo publish|cargo update|gem install|gem push|gem update", ""},
	{RiskReaches, "npm ci|npm exec|npm i|npm install|npm publish|npm update|npx|pnpm add|pnpm dlx|pnpm i|pnpm install|pnpm publish|" +
		"pnpm update|yarn add|yarn dlx|yarn install|yarn publish|yarn upgrade|bun add|bun install|bun publish|bun update|bun x|bunx", ""},
	{RiskReaches, "pip install|pip download|pip3 install|pip3 download|uv|uvx|pipx|poetry install|poetry add|poetry update", ""},
	{RiskReaches, "docker build|docker pull|docker push|docker run|kubectl|gh api|gh gist|gh issue|gh pr|gh release|gh repo|gh run|gh workflow", ""},
	{RiskReaches, "apt install|apt update|apt upgrade|apt-get install|apt-get update|apt-get upgrade|brew install|brew update|brew upgrade", ""},

	{RiskChanges, "chmod|chown|cp|dd|install|ln|mv|patch|perl|rm|rmdir|rsync|sed|shred|tee|touch|truncate|unlink", ""},
}

// depths are how many words name what a program does, where it is not one; the longer name counts.
var depths = map[string]int{
	"apt": 2, "apt-get": 2, "aws": 3, "brew": 2, "bun": 2, "bun run": 3, "bundle": 2, "bundle exec": 3, "cargo": 2, "composer": 2,
	"deno": 2, "deno task": 3, "docker": 2, "docker compose": 3, "dotnet": 2, "gcloud": 3, "gem": 2, "gh": 3, "git": 2,
	"git remote": 3, "git stash": 3, "git submodule": 3, "git worktree": 3, "go": 2, "go mod": 3, "go run": 3, "go tool": 3,
	"gradle": 2, "helm": 2, "hg": 2, "jj": 2, "just": 2, "kubectl": 2, "make": 2, "mix": 2, "mvn": 2, "npm": 2, "npm run": 3,
	"npx": 2, "pip": 2, "pip3": 2, "pnpm": 2, "pnpm run": 3, "poetry": 2, "poetry run": 3, "rails": 2, "rake": 2, "svn": 2,
	"systemctl": 2, "task": 2, "terraform": 2, "tofu": 2, "uv": 2, "uv run": 3, "uvx": 2, "yarn": 2, "yarn run": 3, "zig": 2,
}
