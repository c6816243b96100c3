// Package script is a model that plays a file: text, thinking, tool calls, delays and failures, for tests, the demo and
// benchmarks. It needs no server and no key.
//
// A script is lines of JSON. Blank lines and lines that begin with # or // are comments. Each line has one of these
// keys, with the others beside it as its options:
//
//	{"text": "…"}                        visible text; also "chunk", "rate", "times"
//	{"think": "…"}                       reasoning; also "chunk", "rate", "times"
//	{"call": {"id", "name", "arguments"}} a tool call; arguments is an object, or a string taken as it is
//	{"image": {"media_type", "data"}}    a picture, data in base64
//	{"delay_ms": 250}                    a pause
//	{"stop": "…", "usage": {…}}          ends the answer: stop, tool_calls, length or content_filter; "" is stop or
//	                                     tool_calls, as the answer has it; usage as in [llm.Usage]
//	{"fail": {"status": 429, …}}         ends the answer as a failed server does: "status" with "retry_after" (seconds)
//	                                     and "message", or "cut": true, or "malformed": true. A stop may follow it.
//	{"expect": "…", "in": "any"}         the answer is played only where the request has this; otherwise it is a Fault
//	                                     that says what was missing
//	{"when": "…", "in": "new"}           the answer is out of order: see below
//	{"order": "count"}                   first line only: see below
//
// The options of text and think: chunk is the characters of one delta (0: all in one), rate the deltas in a second (0:
// no pause), times how often the text is said. Deltas are made as they are asked for, so a large times costs no
// memory. "in" is where expect and when look: "new" is what the request adds since the last answer (prompt and tool
// results), "system" the system prompt, "tools" the tools' names, "any" all of the conversation, these included.
//
// # Which answer is next
//
// The n-th request of a session gets the n-th answer. The place is taken from the request itself, so it survives a
// restart and is right for any number of sessions at once:
//
//   - Each assistant message of the request, and each that was compacted away ([llm.Request].Answered), stands for one
//     answer that said something. An answer that was interrupted after its first word is such a message.
//   - An answer that says nothing (it fails first, or is only a pause and a stop) leaves no message. A retry
//     ([llm.Request].Attempt) gets the next answer. A second prompt without an assistant's or tool's message between
//     it and the first, as a message or as another text of the same one, shows that the first got only such answers:
//     those that a retry would have gone through are passed over.
//   - So an answer that was aborted before its first word is played again.
//
// Answers with a when are apart from this order. Each request that has the text gets the first such answer, as often
// as it comes, and the other answers do not move: such an answer needs no history, and a file of them alone is
// stateless. With {"order": "count"} the other answers are counted by the model value instead: its n-th request gets
// the n-th answer, whatever the request holds.
//
// A request past the last answer is a Fault. Where a stop gives no usage it is estimated as one token for four bytes.
package script
