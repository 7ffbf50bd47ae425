import assert from "node:assert/strict";
import { webcrypto } from "node:crypto";
import { beforeEach, test } from "node:test";

import { LateAnswers, sessionsHeld, stillHere } from "./late_answers.ts";
import { Outbox } from "./outbox.ts";
import { Clock, FakeElement, Storage, set } from "../../../../tests/javascript/stand_ins.js";

let clock;
let sent;
let clicks;
let late;
const NOTHING = { tester: "ada", leave: "", settled: [], strangers: [], reason: "" };
const send = (_name, messages) => sent.push(messages.map(({ session, events }) => [session, events.map(({ id }) => id)]));
const deliver = (more = {}) => late.deliver({ ...NOTHING, ...more }, send);
const hold = (session, id, tester = "ada") => {
  new Outbox(session, tester).add({ id, kind: "answer", row: 1, position: 0, at: "2026-01-01T10:00:00.000Z" });
};

beforeEach(() => {
  clock = new Clock().install();
  clock.now = 10_000;
  clicks = [];
  set("localStorage", new Storage());
  set("crypto", webcrypto);
  set("document", { addEventListener: (_name, work) => clicks.push(work) });
  set("window", { addEventListener() {} });
  set("location", { pathname: "/results" });
  sent = [];
  late = new LateAnswers(Object.assign(new FakeElement(), { hidden: true }));
});

test("a browser that holds nothing sends and says nothing", () => {
  localStorage.setItem("testimate-keys s1", "{}");
  localStorage.setItem("another program", "x");
  deliver();
  clock.forward(60_000);
  assert.deepEqual(sent, []);
  assert.equal(late.frame.hidden, true);
});

test("what is held goes out at once in the order of doing, and is forgotten once it is settled", () => {
  hold("s1", "one");
  hold("s1", "two");
  deliver();
  assert.deepEqual(sent, [[["s1", ["one", "two"]]]]);
  assert.match(late.frame.textContent, /^2 answers are still in this browser/);
  deliver({ settled: ["one", "two"] });
  assert.equal(late.frame.hidden, true);
  assert.deepEqual(sessionsHeld("ada"), []);
  clock.forward(60_000);
  assert.equal(sent.length, 1);
});

test("what was not settled goes out again, more and more seldom, and the reason stands beside it", () => {
  hold("s1", "one");
  deliver();
  deliver({ reason: "The disk is full." });
  assert.equal(sent.length, 1, "a delivery alone is no reason to send again");
  assert.equal(late.frame.textContent, stillHere(1, "The disk is full."));
  clock.forward(3_000);
  assert.equal(sent.length, 2);
  clock.forward(5_999);
  assert.equal(sent.length, 2);
  clock.forward(1);
  assert.equal(sent.length, 3);
});

test("only this tester's answers go, not those of the surface on the page nor of another project's sessions", () => {
  hold("s1", "one");
  hold("s2", "two");
  hold("s3", "three");
  hold("s1", "four", "bob");
  deliver({ leave: "s1", strangers: ["s3"] });
  assert.deepEqual(sent, [[["s2", ["two"]]]]);
  assert.match(late.frame.textContent, /^1 answer is /);
});

test("a download waits until nothing is held, and any other click goes on", () => {
  const stopped = [];
  const click = (inside) => {
    const target = { closest: () => inside };
    const event = { target, composedPath: () => [], preventDefault: () => stopped.push(1), stopPropagation() {} };
    clicks.forEach((work) => work(event));
  };
  hold("s1", "one");
  deliver();
  click(null);
  assert.equal(stopped.length, 0);
  click(new FakeElement());
  assert.equal(stopped.length, 1);
  assert.match(late.frame.textContent, /Download once they are counted/);
  deliver({ settled: ["one"] });
  click(new FakeElement());
  assert.equal(stopped.length, 1);
});
