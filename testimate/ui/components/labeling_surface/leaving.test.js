import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { EventSender } from "./event_sender.ts";
import { Leaving } from "./leaving.ts";
import { Clock, FakeElement, Storage, set } from "../../../../tests/javascript/stand_ins.js";

const FRAME = new FakeElement();
let clock;
let listeners;
let leaving;

beforeEach(() => {
  clock = new Clock().install();
  clock.now = 10_000;
  listeners = {};
  const note = { addEventListener: (name, work) => { listeners[name] = work; } };
  set("document", note);
  set("window", note);
  set("location", { pathname: "/label" });
  leaving = new Leaving(FRAME, new AbortController().signal);
});

const link = (pathname) => ({ closest: (selectors) => (selectors === "a[href]" ? { pathname } : null) });
const button = { closest: (selectors) => (selectors.includes("button") ? {} : null) };
const paper = { closest: () => null };
const click = (target, ...inside) => listeners.click({ button: 0, target, composedPath: () => [target, ...inside] });

test("nobody leaves before a click, nor by one on paper or on the surface itself", () => {
  assert.equal(leaving.wait, 0);
  click(paper);
  click(button, FRAME);
  click(link("/results"), FRAME);
  assert.equal(leaving.wait, 0);
});

test("a link to another page is on the way for a minute, a button or a link to this page for two and a half", () => {
  click(button);
  assert.equal(leaving.wait, 2500);
  click(link("/label"));
  assert.equal(leaving.wait, 2500);
  click(link("/results"));
  assert.equal(leaving.wait, 60_000);
  click(button);
  assert.equal(leaving.wait, 60_000, "a click on a button does not shorten it");
  clock.forward(60_000);
  assert.equal(leaving.wait, 0);
});

test("a click that opens another tab leaves this one where it is", () => {
  for (const held of ["ctrlKey", "metaKey", "shiftKey"]) {
    listeners.click({ button: 0, [held]: true, target: link("/results"), composedPath: () => [] });
  }
  assert.equal(leaving.wait, 0);
});

test("one step back is on the way where it led to another page", () => {
  listeners.popstate();
  assert.equal(leaving.wait, 0);
  location.pathname = "/plan";
  listeners.popstate();
  assert.equal(leaving.wait, 60_000);
});

test("an answer given while the tester leaves is kept, not sent; where they stay after all it goes then", () => {
  set("localStorage", new Storage());
  set("navigator", { onLine: true });
  const sent = [];
  const sender = new EventSender("s1", "ada", () => [7], () => true, () => leaving.wait);
  sender.send = (_name, message) => sent.push(message.events.map((event) => event.id));
  click(link("/results"));
  sender.outbox.add({ id: "last", kind: "answer", row: 7, position: 0, at: "" });
  sender.flush();
  sender.flush(true);
  sender.ask();
  clock.forward(59_999);
  assert.deepEqual(sent, []);
  clock.forward(1);
  assert.deepEqual(sent, [["last"]]);
});
