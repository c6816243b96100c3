package main
import ("testing";"time";"os";"fmt";"os/exec";"parley/internal/event")
func TestPerf(t *testing.T){
 if os.Getenv("PHASES")=="" {t.Skip()}
 m,_:=newModel(); b:=&bench{parley:"/tmp/w/p5",dir:t.TempDir(),model:m}
 s,err:=b.warm("x"); if err!=nil {t.Fatal(err)}
 defer b.close()
 n:=1; fmt.Sscan(os.Getenv("N"),&n)
 perf:=exec.Command("perf","record","-q","-F","2000","-g","-o","/tmp/w/x/perf.data","-p",fmt.Sprint(s.daemon.PID)); perf.Stderr=os.Stderr
 perf.Start(); time.Sleep(300*time.Millisecond)
 for range 10 {
   first,id,_:=s.fresh(); peers:=[]*peer{first}
   for len(peers)<n { var z event.Seq; p,_,_:=s.native(string(id),&z); peers=append(peers,p)}
   w,u,err:=spent(s.daemon.PID,func()error{ first.prompt(id,"words-20000"); return all(peers,runEnded)})
   fmt.Println(w,u,err)
 }
 perf.Process.Signal(os.Interrupt); perf.Wait()
}
