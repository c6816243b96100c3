// A terminal for tests: xterm.js without a window. Each line of stdin is a JSON
// object; what the program under test would read goes to stdout as {"data":…}.
//
//   {"write":"base64"}      bytes of the program
//   {"resize":[80,24]}      a new size; answered by {"resized":true} once all
//                           that was written before has been taken in
//   {"dump":true}           answered by {"lines":[…],"cursor":[x,y]}: the
//                           scrollback and the screen, wrapped rows joined
const { Terminal } = require('@xterm/headless');
const { createInterface } = require('node:readline');

const say = (o) => process.stdout.write(JSON.stringify(o) + '\n');
const terminal = new Terminal({
  cols: Number(process.argv[2]), rows: Number(process.argv[3]), scrollback: 20000, allowProposedApi: true,
});
terminal.onData((data) => say({ data }));

const after = (f) => terminal.write('', f);

function lines() {
  const buffer = terminal.buffer.active;
  const out = [];
  for (let i = 0; i < buffer.length; i++) {
    const line = buffer.getLine(i);
    const text = line.translateToString(true);
    if (line.isWrapped && out.length > 0) out[out.length - 1] += text;
    else out.push(text);
  }
  return out;
}

createInterface({ input: process.stdin }).on('line', (raw) => {
  const o = JSON.parse(raw);
  if (o.write !== undefined) terminal.write(Buffer.from(o.write, 'base64'));
  if (o.resize) after(() => { terminal.resize(...o.resize); say({ resized: true }); });
  if (o.dump) {
    after(() => {
      const b = terminal.buffer.active;
      say({ lines: lines(), cursor: [b.cursorX, b.cursorY] });
    });
  }
});
