package runtime

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"parley/internal/regular"
)

// place says where and when a session works: the last part of the system prompt, because it is another one for each
// session. It is asked for once in a session, so that it stays the same from run to run, and with it the provider's cache.
//
// Which files are changed is not in it: only git can say that, and git runs programs that a repository's configuration
// names.
func place(dir, root string, now time.Time) string {
	var out strings.Builder
	out.WriteString("Where you are, when the session began or went on:\n")
	fmt.Fprintf(&out, "- Workspace: %s\n- System: %s on %s; commands run in %s\n- Date: %s\n", dir, runtime.GOOS, runtime.GOARCH, shellName(), now.Format("Monday, 2006-01-02"))
	if branch := branchOf(root); branch != "" {
		fmt.Fprintf(&out, "- Git: on %s\n", branch)
	}
	return out.String()
}

// shellName is the shell that the bash tool starts.
func shellName() string {
	if _, err := exec.LookPath("bash"); err == nil {
		return "bash"
	}
	return "sh"
}

// longestName is the most that is read of what git says of a branch or of a folder.
const longestName = 4 << 10

// branchOf is what a working tree of git is on; empty: it is none. It reads files and starts no git.
func branchOf(root string) string {
	folder := filepath.Join(root, ".git")
	if text, err := regular.Read(folder, longestName); err == nil { // a linked tree: gitrepository-layout(5)
		named, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
		if !ok {
			return ""
		}
		if folder = named; !filepath.IsAbs(folder) {
			folder = filepath.Join(root, named)
		}
	}
	text, err := regular.Read(filepath.Join(folder, "HEAD"), longestName)
	if err != nil {
		return ""
	}
	head := strings.TrimSpace(string(text))
	if branch, ok := strings.CutPrefix(head, "ref: refs/heads/"); ok && strings.IndexFunc(branch, func(r rune) bool { return r <= ' ' || r == 0x7f }) < 0 {
		return "branch " + strings.ToValidUTF8(branch, "\uFFFD")
	}
	if len(head) >= 40 && strings.Trim(head, "0123456789abcdef") == "" {
		return "no branch, at " + head[:12]
	}
	return ""
}
