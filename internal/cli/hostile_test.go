package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"parley/test/rig"
)

// evil is what a stranger may name a thing that you clone: an escape sequence with
// a payload, C1 controls, DEL, bidi, zero width, a tag.
const evil = "\x1b]0;own\a\x1b[2J\u009b31m\x7f\u202e\u200b\U000e0041"

// powerless fails where output could steer a terminal.
func powerless(t *testing.T, name, output string) {
	t.Helper()
	for _, r := range output {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
			t.Errorf("%s lets %U through: %q", name, r, output)
			return
		}
	}
}

// A folder, a file, a model, a title, a branch, an answer and a configuration with
// names that steer a terminal: no command repeats them raw, on stdout or stderr,
// as text or as JSON.
func TestHostileNamesSteerNoTerminal(t *testing.T) {
	program, err := exec.LookPath("parley")
	if err != nil {
		t.Fatal(err)
	}
	outer, err := rig.NewHome(filepath.Join(t.TempDir(), "h"+evil), program)
	if err != nil {
		t.Fatal(err)
	}
	h := home{outer, t}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	quoted, err := json.Marshal(evil)
	if err != nil {
		t.Fatal(err)
	}
	q := strings.Trim(string(quoted), `"`)
	script := "s" + evil + ".ndjson"
	h.write("work/"+script, `{"text":"an answer `+q+`"}
{"call":{"id":"c","name":"bash","arguments":{"command":"echo `+q+`"}}}
{"stop":""}
{"text":"done `+q+`"}
{"stop":""}
`)
	h.write("work/.git/HEAD", "ref: refs/heads/b"+evil+"\n")
	h.write("work/.parley/config.jsonc", `{"model":"mine/m`+q+`","permission":{"allow":["bash"]}}`)
	h.write("config/parley/config.jsonc", `{"providers":{"mine":{"type":"openai-chat","base_url":"http://127.0.0.1:9","models":{"m`+q+`":{"context":9000}}}}}`)
	broken := h.write("work/log"+evil+".ndjson", `{"seq":"`+evil+`"}`+"\n"+evil+"\n")
	secret := h.write("config2/parley/config.jsonc", `{"nonsense`+evil+`": 1, "permission":{"allow":["bash(x`+q+`)"]}, "model":"`+q+`",
"providers":{"p`+q+`":{"type":"openai-chat","base_url":"http://127.0.0.1:9/`+q+`"}}}`)

	said := func(args ...string) string {
		t.Helper()
		r := h.run(args...)
		name := strings.Join(args, " ")
		powerless(t, name+": stdout", r.Out)
		powerless(t, name+": stderr", r.Err)
		return r.Out
	}
	said("run", "--model", "script/"+script, "--allow", "bash", "hello "+evil)
	id := strings.Fields(said("sessions", "list", "--all"))
	if len(id) == 0 {
		t.Fatal("there is no session")
	}
	said("sessions", "rename", id[0], "title "+evil)
	for _, line := range strings.Split(strings.TrimSpace(said("sessions", "list", "--all", "--json")), "\n") {
		var got struct{ Title, Workspace string }
		if err := json.Unmarshal([]byte(line), &got); err != nil || !strings.Contains(got.Workspace, evil) {
			t.Errorf("%q is not the same JSON: %v, %q", line, err, got.Workspace)
		}
	}
	for _, args := range [][]string{
		{"sessions", "list"}, {"sessions", "tree", id[0]}, {"sessions", "show", id[0]}, {"sessions", "export", id[0]},
		{"sessions", "show", evil}, {"sessions", "branch", id[0]}, {"sessions", "leaf", id[0], evil}, {"sessions", "rm", "no" + evil},
		{"check", id[0]}, {"check", broken}, {"check", "/nowhere" + evil}, {"check", evil}, {"replay", id[0]}, {"replay", "--as", "native", id[0]},
		{"replay", "--as", "klaude", id[0]}, {"replay", "--as", "cogency", id[0]}, {"replay", broken}, {"attach", evil}, {"attach", "--idle", id[0]},
		{"doctor"}, {"doctor", "--json"}, {"doctor", "--deep"}, {"models"}, {"models", "--json"}, {"models", evil},
		{"config"}, {"config", "--json"}, {"config", "get", "permission"}, {"config", "get", evil}, {"config", "path"}, {"config", "path", "--all"},
		{"config", "rules"}, {"config", "rules", "rm", evil}, {"config", "trust", "--show"}, {"config", "trust", "--yes"}, {"config", "trust", evil},
		{"config", "distrust"}, {"daemon", "status"}, {"run", "--format", "native", "--model", "script/" + script, "again"},
		{"run", "--model", evil, "x"}, {"run", "--model", "script/none" + evil, "x"}, {"run", "--cwd", evil, "x"}, {"run", "--attach", evil, "x"},
		{"run", "--allow", "bash(" + evil, "x"}, {"--socket", "/tmp/" + evil, "sessions", "list"}, {evil}, {"--" + evil}, {"run", "--format", evil, "x"},
		{"__complete", "attach", ""}, {"__complete", "models", ""}, {"man"}, {"version"}, {"sessions", "list", "--" + evil},
	} {
		said(args...)
	}
	h.set("XDG_CONFIG_HOME", filepath.Dir(filepath.Dir(secret)))
	for _, args := range [][]string{{"config"}, {"models"}, {"doctor"}, {"run", "x"}, {"config", "path", "--all"}} {
		said(args...)
	}
	if err := os.Remove(filepath.Join(h.Work, script)); err != nil {
		t.Fatal(err)
	}
	said("daemon", "stop")
}
