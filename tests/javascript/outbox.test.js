import assert from "node:assert/strict";
import { webcrypto } from "node:crypto";
import { beforeEach, test } from "node:test";

import { Outbox, newId } from "../../testimate/ui/components/labeling_surface/outbox.js";
import { Clock, Storage, set } from "./stand_ins.js";

let clock;
const opened = (tester = "ada") => new Outbox("s1", tester);
const event = (id, more = {}) => ({ id, kind: "answer", row: 7, position: 0, at: "2026-01-01T10:00:00.000Z", ...more });
const ids = (outbox) => outbox.events.map((one) => one.id);

beforeEach(() => {
  clock = new Clock().install();
  set("localStorage", new Storage());
  set("crypto", webcrypto); // Node 18 has none of its own
});

test("what waits is there again after the page was loaded again, and gone once it is stored", () => {
  opened().add(event("one"));
  const again = opened();
  assert.deepEqual(ids(again), ["one"]);
  assert.equal(again.remove("one"), true);
  assert.equal(again.remove("one"), false);
  assert.deepEqual(ids(opened()), []);
});

test("what waits for another tester or session is not ours", () => {
  opened("bob").add(event("one"));
  assert.deepEqual(ids(opened("ada")), []);
  assert.deepEqual(ids(new Outbox("s1 a", "da")), []);
});

test("events keep the order of the doing, though the clock was set back", () => {
  const first = opened();
  first.add(event("answer", { at: "2026-01-01T10:00:09.000Z" }));
  first.add(event("undo", { at: "2026-01-01T09:00:00.000Z" }));
  assert.deepEqual(ids(opened()), ["answer", "undo"]);
});

test("two tabs that gave the same place are sorted by time", () => {
  const place = (one) => localStorage.setItem(`testimate s1 ada ${one.id}`, JSON.stringify({ event: one, place: 1 }));
  place(event("later", { at: "2026-01-01T10:00:02.000Z" }));
  place(event("earlier", { at: "2026-01-01T10:00:01.000Z" }));
  assert.deepEqual(ids(opened()), ["earlier", "later"]);
});

test("values of other programs in the storage are left alone, and what is no event is not kept for good", () => {
  opened().add(event("sound"));
  const broken = ["null", JSON.stringify({ event: { id: 5 } }), "{", JSON.stringify({ event: { id: "x".repeat(201) } })];
  broken.forEach((text, number) => localStorage.setItem(`testimate s1 ada ${number}`, text));
  localStorage.setItem("another", "{");
  assert.deepEqual(ids(opened()), ["sound"]);
  assert.equal(localStorage.length, 2);
});

test("without a storage the page's memory holds the events", () => {
  const forbidden = () => { throw new Error("forbidden"); };
  set("localStorage", { length: 1, key: forbidden, getItem: forbidden, setItem: forbidden, removeItem: forbidden });
  const outbox = opened();
  outbox.add(event("one"));
  assert.deepEqual(ids(outbox), ["one"]);
  assert.equal(outbox.remove("one"), true);
});

test("the age is the oldest event's", () => {
  const outbox = opened();
  assert.equal(outbox.age(), 0);
  outbox.add(event("one"));
  clock.forward(500);
  outbox.add(event("two"));
  assert.equal(outbox.age(), 500);
  outbox.remove("one");
  assert.equal(outbox.age(), 0);
});

test("of each row the last event that settles it counts, flags do not", () => {
  const outbox = opened();
  outbox.add(event("a"));
  outbox.add(event("b", { kind: "undo" }));
  outbox.add(event("c", { kind: "flag" }));
  outbox.add(event("d", { row: 8, kind: "skip" }));
  assert.deepEqual([...outbox.lastOfRows()].map(([row, { id }]) => [row, id]), [[7, "b"], [8, "d"]]);
});

test("ids are new each time, also without randomUUID", () => {
  assert.notEqual(newId(), newId());
  set("crypto", { getRandomValues: (bytes) => webcrypto.getRandomValues(bytes) });
  assert.match(newId(), /^[0-9a-f]{32}$/);
});
