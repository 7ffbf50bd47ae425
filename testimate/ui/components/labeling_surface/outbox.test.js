import assert from "node:assert/strict";
import { webcrypto } from "node:crypto";
import { beforeEach, test } from "node:test";

import { Outbox, newId } from "./outbox.ts";
import { Clock, Storage, set } from "../../../../tests/javascript/stand_ins.js";

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
  const names = Array.from({ length: localStorage.length }, (_, place) => localStorage.key(place)).sort();
  assert.deepEqual(names, ["another", "testimate s1 ada sound", "testimate-place s1 ada"]);
});

test("two open tabs give no place twice, and what an earlier version kept comes before", () => {
  const kept = event("of the version before", { at: "2026-01-01T11:00:00.000Z" });
  localStorage.setItem("testimate s1 ada kept", JSON.stringify({ event: kept, place: 7 }));
  const [first, second] = [opened(), opened()];
  first.add(event("one", { at: "2026-01-01T10:00:09.000Z" }));
  second.add(event("two", { at: "2026-01-01T10:00:08.000Z" }));
  first.add(event("three", { at: "2026-01-01T10:00:07.000Z" }));
  assert.deepEqual(ids(opened()), ["of the version before", "one", "two", "three"]);
});

test("adding reads none of the events that wait", () => {
  const outbox = opened();
  for (let number = 0; number < 2000; number += 1) outbox.add(event(`e${number}`));
  const read = [];
  const { getItem } = localStorage;
  localStorage.getItem = (name) => { read.push(name); return getItem.call(localStorage, name); };
  localStorage.key = () => { throw new Error("looked through everything"); };
  outbox.add(event("last"));
  assert.deepEqual(read, ["testimate-place s1 ada"]);
});

test("once nothing waits the browser keeps nothing", () => {
  const outbox = opened();
  outbox.add(event("one"));
  outbox.remove("one");
  assert.equal(localStorage.length, 0);
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
