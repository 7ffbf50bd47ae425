// A browser without a screen that outlives its server, driven by lines of JSON.
//
// Comes in: {deliver: view}, {press: true}, {reload: true}, {clock: seconds the browser's clock is ahead}, {heap: true}.
// Goes out: what screenless_page.js says, {heap: bytes held once what nobody needs is collected} when asked, and
// {waiting: events not known to be stored} after each line. Started with --expose-gc.

import { createInterface } from "node:readline";

import { ScreenlessPage } from "../../tests/javascript/screenless_page.js";
import { Storage, set, setDate } from "../../tests/javascript/stand_ins.js";

set("localStorage", new Storage());
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const page = new ScreenlessPage(say);

createInterface({ input: process.stdin }).on("line", (text) => {
  const line = JSON.parse(text);
  if (line.deliver) page.deliver(line.deliver);
  if (line.press) page.press();
  if (line.reload) page.reload();
  if (line.clock !== undefined) setDate(line.clock);
  if (line.heap) {
    globalThis.gc();
    say({ heap: process.memoryUsage().heapUsed });
  }
  say({ waiting: page.waiting });
}).on("close", () => process.exit(0));
