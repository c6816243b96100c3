// A terminal for tests: xterm.js without a window.
//
//   node xterm.cjs MODULE COLS ROWS SCROLLBACK SEED [pty]
//
// With pty, descriptor 3 is the other end of the program's terminal; its size is
// set by whoever reads descriptor 4, where "COLS ROWS" is written, and answered
// by a byte on 5. Nothing else happens in between, so the two sizes change as
// one, or exactly as far apart as a move says. Without pty bytes come as
// commands: that is how a tape is played.
//
// Each line of stdin is a command, answered by a line with its id where it has one:
//
//   {"write":"base64"}  {"resize":[80,24]}  {"told":[80,24]}
//   {"look":true}       what can be seen
//   {"lines":true}      those of scrollback and screen, wrapped rows joined
//   {"reach":12}        answered once the story has come to that line
//   {"shown":true}      the rows in which a frame showed the cursor
//   {"tape":"FILE"}     writes what happened so far, as commands
//   {"storm":[…]}       resizes while the program writes; answered when the last
//                       is done. A move begins when the story has come to its at.
//   {"exchange":[80,24]}  both sizes at once
//   {"reflex":"text","keys":"base64"}   keys that are typed as soon as it is read;
//   {"typed":true}      tells whether they were
const fs = require('node:fs');
const { createInterface } = require('node:readline');
const { StringDecoder } = require('node:string_decoder');

const [module_, cols, rows, scrollback, seed, pty] = process.argv.slice(2);
const { Terminal } = require(module_);
const PTY = 3, TELL = 4, TOLD = 5;
const terminal = new Terminal({
  cols: Number(cols), rows: Number(rows), scrollback: Number(scrollback), allowProposedApi: true,
});
const begun = Date.now();
const tape = [];
const note = (moment) => tape.push({ ...moment, ms: Date.now() - begun });
const say = (o) => process.stdout.write(JSON.stringify(o) + '\n');

// As text, as terminals hand it on: of the bytes of a character that come apart
// xterm.js loses some (TextDecoder.ts, Utf8ToUtf32). And frame by frame: of a line
// that is half written when the size changes it cuts off a part, or leaves a hole
// in it, whoever writes it (Buffer.ts leaves the line that holds the cursor alone).
const decoder = new StringDecoder('utf8');
let held = '';
const put = (chunk) => {
  let text = held + decoder.write(chunk);
  const open = text.lastIndexOf('\x1b[?2026h');
  held = open > text.lastIndexOf('\x1b[?2026l') ? text.slice(open) : '';
  text = text.slice(0, text.length - held.length);
  if (text !== '') terminal.write(text, () => note({ write: Buffer.from(text).toString('base64') }));
};
const resize = ([w, h]) => { terminal.resize(w, h); note({ resize: [w, h] }); };
const tell = ([w, h]) => {
  note({ told: [w, h] });
  fs.writeSync(TELL, `${w} ${h}\n`);
  fs.readSync(TOLD, Buffer.alloc(1));
};

// With a seed a read ends anywhere, also in the middle of a frame; with 0 it takes
// all that is there, as terminals do.
let state = Number(seed) >>> 0;
const whole = state === 0;
const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
const most = () => (!whole && random() < 0.3 ? 1 + Math.floor(random() * 200) : buffer.length);

let frame = false;
const shown = [];
terminal.parser.registerCsiHandler({ prefix: '?', final: 'h' }, (params) => {
  if (params.includes(2026)) frame = true;
  if (params.includes(25) && frame) {
    const b = terminal.buffer.active;
    shown.push(b.getLine(b.baseY + b.cursorY).translateToString(true));
  }
  return false;
});
terminal.parser.registerCsiHandler({ prefix: '?', final: 'l' }, (params) => {
  if (params.includes(2026)) frame = false;
  return false;
});

const storm = { moves: [], running: 0, id: undefined };
let reached = -1;
let reaches = [];
const reflex = { text: '', keys: null };
let recent = '';

function watch(chunk) {
  recent = (recent + chunk.toString('latin1')).slice(-(1 << 13));
  for (const m of recent.matchAll(/L(\d{4}) /g)) reached = Math.max(reached, Number(m[1]));
  arrive();
  if (reflex.keys && recent.includes(reflex.text)) {
    fs.writeSync(PTY, reflex.keys);
    reflex.keys = null;
  }
}

function arrive() {
  for (const r of reaches) if (r.reach <= reached) say({ id: r.id });
  reaches = reaches.filter((r) => r.reach > reached);
}

function take(chunk) {
  watch(chunk);
  const move = storm.moves[0];
  if (!move || reached < move.at) return put(chunk);
  storm.moves.shift();
  const begin = () => steps(move.steps.slice());
  storm.running++;
  switch (move.where) {
    case 'before': begin(); return put(chunk);
    case 'after': put(chunk); return begin();
    case 'inside': {
      const n = whole ? 0 : Math.floor(chunk.length * move.cut);
      put(chunk.subarray(0, n)); begin(); return put(chunk.subarray(n));
    }
    default: put(chunk); return setTimeout(begin, move.wait);
  }
}

// One step is the terminal's size and the program's, in either order.
function steps(left) {
  const step = left.shift();
  if (!step) {
    storm.running--;
    return settled();
  }
  const order = step.told ? [tell, resize] : [resize, tell];
  order[0](step.size);
  const rest = () => {
    order[1](step.size);
    if (step.gap > 0) setTimeout(() => steps(left), step.gap);
    else steps(left);
  };
  if (step.late > 0) setTimeout(rest, step.late);
  else rest();
}

function settled() {
  if (storm.id === undefined || storm.moves.length > 0 || storm.running > 0) return;
  say({ id: storm.id });
  storm.id = undefined;
}

const buffer = Buffer.alloc(1 << 16);
function read() {
  fs.read(PTY, buffer, 0, most(), null, (err, n) => {
    if (err && err.code === 'EAGAIN') return setTimeout(read, 1);
    if (err || n === 0) return note({ over: true });
    take(Buffer.from(buffer.subarray(0, n)));
    read();
  });
}

function lines() {
  const all = terminal.buffer.normal;
  const out = [];
  for (let i = 0; i < all.length; i++) {
    const line = all.getLine(i);
    // The cells of a row that is continued are all there; only a wide character
    // that did not fit leaves one empty.
    const text = line.translateToString(true);
    if (line.isWrapped && out.length > 0) out[out.length - 1] += text;
    else out.push(text);
  }
  return out;
}

function look() {
  const b = terminal.buffer.active;
  const rows = [];
  for (let i = 0; i < terminal.rows; i++) rows.push(b.getLine(b.baseY + i).translateToString(true));
  const m = terminal.modes;
  const modes = Object.entries(m).filter(([k, v]) => v !== (k === 'wraparoundMode' ? true : k === 'mouseTrackingMode' ? 'none' : false)).map(([k]) => k);
  return {
    rows, x: b.cursorX, y: b.cursorY, modes, alternate: b.type === 'alternate',
    hidden: terminal._core.coreService.isCursorHidden,
  };
}

const commands = {
  write: (o) => put(Buffer.from(o.write, 'base64')),
  resize: (o) => terminal.write('', () => resize(o.resize)),
  told: () => {},
  look: (o) => terminal.write('', () => say({ id: o.id, ...look() })),
  lines: (o) => terminal.write('', () => say({ id: o.id, lines: lines() })),
  reach: (o) => { reaches.push(o); arrive(); },
  tape: (o) => terminal.write('', () => {
    fs.writeFileSync(o.tape, tape.map((m) => JSON.stringify(m) + '\n').join(''));
    say({ id: o.id });
  }),
  storm: (o) => {
    Object.assign(storm, { moves: o.storm, id: o.id });
    settled();
  },
  reflex: (o) => {
    Object.assign(reflex, { text: Buffer.from(o.reflex).toString('latin1'), keys: Buffer.from(o.keys, 'base64') });
    recent = '';
    say({ id: o.id });
  },
  typed: (o) => say({ id: o.id, typed: reflex.keys === null }),
  shown: (o) => terminal.write('', () => say({ id: o.id, shown })),
  exchange: (o) => { tell(o.exchange); resize(o.exchange); say({ id: o.id }); },
};

if (pty === 'pty') {
  terminal.onData((data) => fs.writeSync(PTY, data));
  read();
}
createInterface({ input: process.stdin }).on('line', (raw) => {
  const o = JSON.parse(raw);
  for (const name of Object.keys(commands)) if (o[name] !== undefined) return commands[name](o);
}).on('close', () => terminal.write('', () => process.exit(0)));
