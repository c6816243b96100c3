// Package nous is the frozen NDJSON protocol v1: two sockets with one JSON
// object a line, commands and their answers on PATH ([Commands]), the events of
// every run on PATH.events ([Events]).
//
// A client that was written for the original daemon works unchanged. The shapes
// are those of its protocol: 17 commands, 13 events, the keys in their order,
// the texts of its errors. docs/nous-protocol-v1.json is generated from the types
// of this package.
//
// The two dialects are pure. What the original kept for all its clients at once
// (the active session, the queue modes, the active tools) is a [Family]: one
// stands between the connections of a pair of sockets and the daemon.
//
// It guarantees one agent_start and one agent_end for each run, closed turns,
// messages and tool triples whatever happens in it, and the accepted line before
// anything of its run. It does not show what the protocol has no word for:
// thinking, permission, plans, sub-agents, usage beyond its status line.
//
// # Differences from the original, on purpose
//
//   - Runs are numbered run-1, run-2, … over all that the daemon runs, those of
//     wait:true too: they can be seen, steered and aborted like any other.
//   - A failed, aborted or blocked turn closes its assistant message. What was
//     said before stays in the session. An unknown tool is an error result, and
//     the turn goes on. An empty answer to wait:true is a result.
//   - After skipped calls the turn ends. Turns of steers and follow-ups see the
//     whole history. After an abort nothing more runs.
//   - There is no provider_retry_exhausted: the error says it. The tool loop's
//     limit is a setting.
//   - A branch sees its parent up to the branch point, has a leaf at once, and
//     takes over modes and tools. A prompt from a leaf that does not exist goes
//     on from the active one; the answer still names the leaf that was asked
//     for. A text of nothing but blanks is refused.
//   - A prompt during a run is queued behind it. Nothing accepted is lost.
//   - A subscriber that joins in a run gets that run from its start; a slow one
//     loses nothing; one whose connection ends is noticed at once.
//   - Session ids are checked before they are looked for, and a session that
//     does not exist is said to be so in words of our own. Lines may be as long
//     as the listener allows, 64 MiB; a longer one is answered and passed over.
//   - compact_session asks the model for its summary. A context that overflows is
//     compacted inside its turn; get_messages and get_tree begin with the summary.
//   - message ids and event ids are unique and say nothing else.
package nous
