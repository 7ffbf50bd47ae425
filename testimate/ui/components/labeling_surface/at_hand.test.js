import assert from "node:assert/strict";
import { test } from "node:test";

import { hold, inputsHeldFor } from "./at_hand.ts";

const item = (row, more = {}) => ({ row, position: row, at_hand: true, shown: { text: `input ${row}` }, ...more });
const rows = (from, to) => Array.from({ length: to - from }, (_, place) => item(from + place));
const nothing = () => {};

test("what is held for a session and tester outlives a change of page, and is let go for another", () => {
  const inputs = inputsHeldFor("one");
  hold(inputs, [item(1)], null, nothing);
  assert.equal(inputsHeldFor("one"), inputs);
  assert.equal(inputsHeldFor("another").size, 0);
  assert.equal(inputsHeldFor("one").size, 0);
});

test("content that is not sent again is kept, and what is said about it is the newest", () => {
  const inputs = new Map();
  hold(inputs, [item(1, { why: "drawn first" })], null, nothing);
  hold(inputs, [item(1, { shown: null, why: "drawn again" }), item(2, { shown: null })], null, nothing);
  assert.equal(inputs.get(1).content.text, "input 1");
  assert.equal(inputs.get(1).why, "drawn again");
  assert.equal(inputs.has(2), false); // known by name alone: to be asked for
});

test("of more than 64 the oldest go, but neither what is needed now nor the input on the screen", () => {
  const inputs = new Map();
  hold(inputs, rows(0, 64), null, nothing);
  hold(inputs, [item(64), item(65), item(1, { shown: null })], 0, nothing);
  assert.equal(inputs.size, 64);
  assert.deepEqual([0, 1, 2, 3, 4, 65].map((row) => inputs.has(row)), [true, true, false, false, true, true]);
});

test("a picture that is let go frees its memory", () => {
  const inputs = new Map();
  const freed = [];
  const revoke = URL.revokeObjectURL;
  URL.revokeObjectURL = (url) => freed.push(url);
  inputs.set(1000, { ...item(1000), content: { url: "blob:one" } });
  hold(inputs, rows(0, 64), null, nothing);
  URL.revokeObjectURL = revoke;
  assert.deepEqual(freed, ["blob:one"]);
});
