package shell

import "strings"

// String writes the line in one way for all that mean the same: a chain a line, one blank between words, redirections last,
// quotes where they are needed. [Read] reads it back to the same.
func (l Line) String() string {
	var b strings.Builder
	if l.folder != nil {
		b.WriteString("cd " + l.folder.quoted() + " && ")
	}
	for i, c := range l.list {
		if i > 0 {
			b.WriteByte('\n')
		}
		c.print(&b)
	}
	return b.String()
}

func (c chain) print(b *strings.Builder) {
	var here *redirect
	for _, l := range c {
		if l.op != "" {
			b.WriteString(" " + l.op + " ")
		}
		for i, cmd := range l.pipe {
			if i > 0 {
				b.WriteString(" | ")
			}
			b.WriteString(cmd.String())
			if d := cmd.document(); d != nil {
				here = d
			}
		}
	}
	if here != nil {
		b.WriteString("\n" + *here.body + here.target.String())
	}
}

// document is the here-document of the command, nil where it has none.
func (c command) document() *redirect {
	for i := range c.redirects {
		if c.redirects[i].op == opHere {
			return &c.redirects[i]
		}
	}
	return nil
}

func (c command) String() string {
	var fields []string
	for _, a := range c.env {
		value := ""
		if len(a.value.parts) > 0 {
			value = a.value.quoted()
		}
		fields = append(fields, a.name+"="+value)
	}
	fields = append(fields, c.words[0].String())
	for _, w := range c.words[1:] {
		fields = append(fields, w.quoted())
	}
	for _, d := range c.redirects {
		switch d.op {
		case opErrToOut:
			fields = append(fields, d.op)
		case opHere:
			fields = append(fields, d.op+"'"+d.target.String()+"'")
		default:
			fields = append(fields, d.op+" "+d.target.quoted())
		}
	}
	return strings.Join(fields, " ")
}

// quoted writes the word with the quotes it needs.
func (w word) quoted() string {
	var b strings.Builder
	for _, p := range w.parts {
		if p.kind == textKind {
			b.WriteString(quote(p.text))
			continue
		}
		b.WriteString(p.text)
	}
	if b.Len() == 0 {
		return "''"
	}
	return b.String()
}

func quote(s string) string {
	if strings.Trim(s, plainBytes) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'"'"'`) + "'"
}
