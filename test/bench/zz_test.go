package main
import ("testing";"time";"os";"fmt")
func TestPhases(t *testing.T){
 if os.Getenv("PHASES")=="" {t.Skip()}
 m,_:=newModel(); b:=&bench{parley:"/tmp/w/p4",dir:t.TempDir(),model:m}
 s,err:=b.warm("x"); if err!=nil {t.Fatal(err)}
 defer b.close()
 var a,c,d,e sample
 for range 60 {
  t0:=time.Now()
  p,id,err:=s.fresh(); if err!=nil {t.Fatal(err)}
  a.took(time.Since(t0)); t1:=time.Now()
  p.prompt(id,"hello"); p.until(`"type":"result"`); c.took(time.Since(t1)); t2:=time.Now()
  p.until(`response.started`); d.took(time.Since(t2)); t3:=time.Now()
  p.until(runEnded); e.took(time.Since(t3)); p.Close()
 }
 for _,x:=range []sample{a,c,d,e}{ fmt.Println(x.text(), x.spread()) }
}
