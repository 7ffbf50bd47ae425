// A browser without a screen that outlives its server: the surface's own courier and outbox, driven by lines of JSON.
//
// Comes in: {deliver: view}, {press: true}, {reload: true}, {clock: seconds the browser's clock is ahead}.
// Goes out: {send: message}, {pressed: event}, {settled: ids}, {refused: {id: why}}, {empty: true} after a key without an
// input, {waiting: events not known to be stored} after each line.

import { createInterface } from "node:readline";

import { Storage, set } from "../../tests/javascript/stand_ins.js";
import { Courier } from "../../testimate/ui/components/labeling_surface/courier.js";
import { newId } from "../../testimate/ui/components/labeling_surface/outbox.js";
import { openRows } from "../../testimate/ui/components/labeling_surface/standing.js";

const FEW = 5; // as the surface: with fewer inputs left nothing waits
const MOST_HELD = 64;

set("localStorage", new Storage());
const RealDate = Date;
let ahead = 0; // seconds
globalThis.Date = class extends RealDate {
  constructor(...given) {
    super(...(given.length ? given : [RealDate.now() + 1000 * ahead]));
  }
};

const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
let view = null;
let courier = null;
let inputs = new Map();

function open() {
  return view === null ? [] : openRows(view, courier.outbox).filter((row) => inputs.has(row));
}

function begin() {
  courier?.stop();
  inputs = new Map();
  courier = new Courier(view.session, view.tester, () => [...inputs.keys()], () => open().length < FEW);
  courier.send = (_name, message) => say({ send: message });
}

function deliver(next) {
  const first = view === null;
  view = next;
  if (first) begin();
  const settled = view.acknowledged.filter((id) => courier.outbox.remove(id));
  if (settled.length) say({ settled });
  for (const [id, why] of Object.entries(view.refused)) if (courier.outbox.remove(id)) say({ refused: { [id]: why } });
  for (const item of view.queue) {
    const seen = item.shown ? Number(/input (\d+)/.exec(JSON.stringify(item.shown))[1]) : inputs.get(item.row)?.seen;
    if (seen === undefined) continue;
    inputs.delete(item.row);
    inputs.set(item.row, { seen, position: item.position });
  }
  for (const row of inputs.keys()) if (inputs.size > MOST_HELD) inputs.delete(row);
  courier.landed();
  courier.flush();
  if (!open().length && view.waiting && !courier.outbox.size) courier.ask();
}

// The key is that of what is on the screen: an answer under another row would be one on a wrong input.
function press() {
  const [row] = open();
  if (row === undefined) {
    say({ empty: true });
    if (view) courier.ask();
    return;
  }
  const { seen, position } = inputs.get(row);
  const event = { id: newId(), kind: "answer", row, position, at: new Date().toISOString(), seconds: 0.5, answer: seen % 4 };
  courier.outbox.add(event);
  say({ pressed: { id: event.id, row, answer: event.answer, seen } });
  courier.flush();
}

createInterface({ input: process.stdin }).on("line", (text) => {
  const line = JSON.parse(text);
  if (line.deliver) deliver(line.deliver);
  if (line.press) press();
  if (line.reload && view !== null) {
    view = null; // what is kept is the browser's storage alone
    courier.stop();
  }
  if (line.clock !== undefined) ahead = line.clock;
  say({ waiting: courier?.outbox.size ?? 0 });
}).on("close", () => process.exit(0));
