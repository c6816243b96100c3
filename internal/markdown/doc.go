// Package markdown turns a model's markdown into styled lines while it arrives.
//
// A [Stream] takes the text in pieces of any size and gives out finished
// [Block]s: a heading, a list item, a fence, some lines of a paragraph. A
// finished block never changes, so a terminal may let it scroll away; what is
// still open is the [Stream.Tail]. A Block knows its place in the source and is
// rendered at any width, as often as asked.
//
// The dialect is CommonMark 0.31 with GFM's tables, strikethrough, task lists
// and autolinks, parsed by goldmark.
//
// Laws, each held by a test over the specification's 652 examples, over random
// documents and over text without end:
//   - Fidelity: no word of the text is lost, joined to another or moved, at any
//     width. (Only a table too narrow for its words is set as records, which
//     repeat the header.)
//   - Chunking: the pieces a text comes in change nothing of what is shown.
//   - Cost: linear in the text. Each part is parsed once or twice, never again
//     with every piece; the tail is bounded.
//   - Safety: the text goes through [cell.Clean]; no escape sequence of a model
//     reaches the terminal, not even as a character reference or in a link.
//
// What a stream has to decide, and how it is decided here:
//   - A line break is kept, soft or hard: what was typed as two lines is two
//     lines. So a paragraph's lines can be finished one by one. A line waits for
//     the next one to begin, as it may become a heading or a table's header,
//     and while emphasis, code, a tag or a bracket is open in it. A setext
//     heading of several lines has its style on what was not finished before.
//   - Blocks and list items stand apart by one empty line where they were typed
//     so. Whether a list is loose as a whole is known only at its end.
//   - A link reference is known from its definition on; before, it is shown as
//     typed. A definition shows nothing.
//   - Raw HTML is text, but a br breaks the line. Inline code keeps its
//     backticks.
//   - Past 32 KiB in one block, 64 KiB in a fence, 16 KiB in a line, the rest of
//     it is shown plainly: as typed, uncoloured, or with the markup of each piece
//     by itself.
//
// The package does not write to a terminal, detects no colours, and keeps
// nothing of a text beyond its open block and its link definitions.
package markdown
