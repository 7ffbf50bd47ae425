// Pages without a screen in browsers of their own, moved one step at a time: a line of JSON comes in, one goes out.
//
// Comes in: {begin: by page, the number of its browser}, or {page, do: "deliver" with view, "press", "undo" or "reload"}, or
// Comes in: {begin: by page, the number of its browser}, or {page, do: "deliver" with view, "press", "undo" or "reload"}, or
// {forward: milliseconds}, or {clock: seconds that the date is ahead}.
// Goes out by page: {said: what it said since the line before, as in screenless_page.js; row: on the screen; waiting: events}.
import { createInterface } from "node:readline";

import { ScreenlessPage } from "./screenless_page.js";
import { Clock, Storage, set, setDate } from "./stand_ins.js";

let clock = null;
let pages = [];
let storages = [];

function begin(browsers) {
  for (const { page } of pages) page.reload();
  clock = new Clock().install();
  setDate(0);
  const stores = browsers.map(() => new Storage());
  storages = browsers.map((browser) => stores[browser]);
  pages = browsers.map(() => {
    const one = { said: [] };
    one.page = new ScreenlessPage((line) => one.said.push(line));
    return one;
  });
}

function step(line) {
  if (line.begin) begin(line.begin);
  if (line.forward) clock.forward(line.forward);
  if (line.clock !== undefined) setDate(line.clock);
  if (line.do) {
    set("localStorage", storages[line.page]); // only these four touch it, no timer
    pages[line.page].page[line.do](line.view);
  }
}

createInterface({ input: process.stdin }).on("line", (text) => {
  step(JSON.parse(text));
  const out = pages.map(({ said, page }) => ({ said: said.splice(0), row: page.row, waiting: page.waiting }));
  process.stdout.write(`${JSON.stringify(out)}\n`);
}).on("close", () => process.exit(0));
