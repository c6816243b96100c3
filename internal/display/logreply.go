package display

// A reply is how far the open item of that kind has come.
type reply struct {
	phase replyPhase
	end   At // of its text so far; of use once that has ended
}

type replyPhase uint8

const (
	replyGrows replyPhase = iota
	replyEnded            // its text has ended; what follows says whether that is the end
	replyCut              // the provider cut it: the next text goes on with it
)

// settle ends a reply whose text has ended, unless it is open whether that was the
// end, or the reply was cut and the command may stand before it goes on.
func (l *Log) settle(c RenderCommand) {
	switch l.reply.phase {
	case replyEnded:
		if !undecided(c) {
			l.endStream(l.reply.end)
		}
	case replyCut:
		if _, goesOn := c.(StartText); !goesOn && !undecided(c) && !beside(c) {
			l.endStream(l.reply.end)
		}
	case replyGrows:
	}
}

// undecided reports whether a command says nothing of what the model does.
func undecided(c RenderCommand) bool {
	switch c := c.(type) {
	case EnterPhase, ShowPlan, ShowTitle, AbortRun:
		return true
	case ShowInterruption:
		return c.Reason == "provider"
	}
	return false
}

// beside reports whether a command may come between a cut and what goes on after
// it, being no part of what the model says and does.
func beside(c RenderCommand) bool {
	switch c := c.(type) {
	case ShowUsage, HintCall, ShowDeveloper, ShowNote, ShowRetry, ShowCompaction, ShowFiles,
		OpenAsk, AnswerAsk, CloseAsk, AppendCall, PreviewCall, DecideCall:
		return true
	case StartCall:
		return c.Origin == "user"
	case EndCall:
		return c.Origin == "user"
	}
	return false
}

// startText begins a reply, or goes on with the one that was cut.
func (l *Log) startText(at At) {
	if l.reply.phase != replyCut {
		l.add(at, KindReply, "stream")
	}
	l.reply = reply{}
}

func (l *Log) endText(at At) {
	if l.open["stream"] != nil {
		l.reply = reply{phase: replyEnded, end: at}
	}
}

// interrupt takes the cut of a response. Nothing follows one that we made.
func (l *Log) interrupt(c ShowInterruption) {
	l.status.Hint = ""
	if l.reply.phase == replyEnded && c.Reason == "provider" {
		l.reply.phase = replyCut
	}
}
