package fence

import (
	"fmt"
	"slices"
	"strings"
)

// gone are variables that name what a command cannot reach: programs wait for it, or complain.
var gone = []string{
	"SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY",
	"XAUTHORITY", "XDG_RUNTIME_DIR", "SESSION_MANAGER", "DOCKER_HOST", "CONTAINER_HOST", "TMUX", "STY", "VSCODE_IPC_HOOK_CLI", "GIT_ASKPASS", "SSH_ASKPASS",
	"TMPDIR", "TMP", "TEMP",
}

// ways are variables by which programs find a proxy. Each has a lower-case sister.
var ways = []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"}

// environ joins environments, of which the last value of a name counts. What means nothing inside is left
// out, and temporary files go to the command's own folder.
func environ(env ...[]string) []string {
	value, order := map[string]string{"TMPDIR": "/tmp"}, []string{"TMPDIR"}
	for _, pair := range slices.Concat(env...) {
		name, v, ok := strings.Cut(pair, "=")
		if !ok || slices.Contains(gone, name) {
			continue
		}
		if _, known := value[name]; !known {
			order = append(order, name)
		}
		value[name] = v
	}
	out := make([]string, len(order))
	for i, name := range order {
		out[i] = name + "=" + value[name]
	}
	return out
}

// way tells programs of the proxy. Later values count.
func way(port int, token string) []string {
	proxy := fmt.Sprintf("http://%s:@127.0.0.1:%d", token, port)
	var out []string
	for _, name := range ways {
		value := proxy
		if name == "NO_PROXY" {
			value = "localhost,127.0.0.1,::1"
		}
		out = append(out, name+"="+value, strings.ToLower(name)+"="+value)
	}
	// Node reads the others only when it is told to.
	return append(out, "NODE_USE_ENV_PROXY=1")
}
