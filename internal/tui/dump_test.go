package tui
import ("testing";"os";"os/exec";"fmt";"strings";"github.com/creack/pty")
func TestDump(t *testing.T){ if os.Getenv("DUMP")=="" {t.Skip()}
 self,_ := os.Executable(); c:=exec.Command(self); c.Env=append(os.Environ(), deltasVariable+"=1500","TERM=xterm-256color")
 m,_ := pty.StartWithSize(c,&pty.Winsize{Cols:120,Rows:40}); var all strings.Builder; b:=make([]byte,65536); q:=false
 for { k,err:=m.Read(b); if err!=nil {break}; all.Write(b[:k]); if strings.Contains(string(b[:k]),"\x1b[c"){m.WriteString("\x1b[?62c")}
  if !q && strings.Contains(all.String(),"esc interrupt") && strings.Contains(string(b[:k]),"ask for anything"){q=true; m.WriteString("\x04")} }
 fr := strings.Split(all.String(),"\x1b[?2026h"); fmt.Println("frames",len(fr),"bytes",all.Len(),"text",len(answer(1500)))
 for i,f := range fr { if i>20&&i<60 {fmt.Printf("%d %q\n",len(f),f)} }
}
