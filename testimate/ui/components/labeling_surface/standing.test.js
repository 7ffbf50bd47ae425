import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { Outbox } from "./outbox.ts";
import { doneCount, isFar, lastAnswers, openRows } from "./standing.ts";
import { Clock, Storage, set } from "../../../../tests/javascript/stand_ins.js";

const ACTIONS = { "cannot tell": " ", skip: "s", flag: "f", undo: "Backspace", play: "p" };
const NO_CLASSES = { order: [], keys: [], actions: ACTIONS, no_class: "none", unit: "", range: null, usual: null };
const CLASSES = { ...NO_CLASSES, kind: "classification", classes: ["cat", "dog"], order: [0, 1], keys: ["1", "2"] };
const PRICES = { ...NO_CLASSES, kind: "regression", classes: [], unit: "USD", usual: [50, 980] };
const past = (row, answer, label) => ({ row, position: row, answer, label, failed: true });
const view = (more = {}) => ({ task: CLASSES, queue: [{ row: 3 }, { row: 4 }, { row: 5 }], history: [], done: 0, ...more });

let outbox;
let count = 0;
beforeEach(() => {
  new Clock().install();
  set("localStorage", new Storage());
  outbox = new Outbox("s1", "ada");
});

function does(kind, row, answer) {
  outbox.add({ id: `id ${count += 1}`, kind, row, position: row, at: "", answer });
}

test("an input with an answer on the way is closed, one that is only flagged is not", () => {
  does("answer", 3, 1);
  does("flag", 4);
  assert.deepEqual(openRows(view(), outbox), [4, 5]);
  does("skip", 4);
  does("cannot tell", 5);
  assert.deepEqual(openRows(view(), outbox), []);
});

test("an answer taken back opens its input, before all others where the queue does not have it", () => {
  does("answer", 3, 1);
  does("undo", 3);
  does("undo", 1);
  assert.deepEqual(openRows(view(), outbox), [1, 3, 4, 5]);
});

test("the last answers are Python's, corrected by what is on the way", () => {
  const history = [past(0, 0, "cat"), past(1, 1, "dog")];
  does("undo", 1);
  does("answer", 0, 1);
  does("cannot tell", 3);
  does("skip", 4);
  const seen = lastAnswers(view({ history }), outbox).map(({ row, label, failed }) => [row, label, failed]);
  assert.deepEqual(seen, [[0, "dog", null], [3, "can't tell", null]]);
});

test("several classes are named, and none of them is a word", () => {
  const task = { ...CLASSES, kind: "multi-label" };
  does("answer", 3, [0, 1]);
  does("answer", 4, []);
  assert.deepEqual(lastAnswers(view({ task }), outbox).map(({ label }) => label), ["cat, dog", "none"]);
});

test("a number is named in full with its unit, and marked where it is far from all predictions", () => {
  const history = [past(1, 99.5, "99.5 USD")];
  does("answer", 3, 4551);
  const seen = lastAnswers(view({ task: PRICES, history }), outbox).map(({ label, far }) => [label, far]);
  assert.deepEqual(seen, [["99.5 USD", false], ["4\u202f551 USD", true]]);
  assert.deepEqual([49.9, 50, 980, 980.1].map((value) => isFar(value, PRICES)), [true, false, false, true]);
  assert.equal(isFar(1e12, { ...PRICES, usual: null }), false);
  assert.equal(isFar(null, PRICES), false);
});

test("the count has each answer once", () => {
  const history = [past(0, 0, "cat"), past(1, 1, "dog")];
  const counted = (planned = 60) => doneCount(view({ history, done: 20, planned }), outbox);
  assert.equal(counted(), 20);
  does("answer", 0, 1); // changed, not one more
  assert.equal(counted(), 20);
  does("answer", 3, 1);
  does("cannot tell", 4);
  does("skip", 5);
  assert.equal(counted(), 22);
  assert.equal(counted(21), 21, "never more than there are");
  does("undo", 1);
  does("undo", 3);
  assert.equal(counted(), 20);
});
