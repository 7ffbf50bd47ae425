import assert from "node:assert/strict";
import { test } from "node:test";

import { Letters, codesOf, failsHere, knownCodes, turned, withTyped } from "./codes.ts";

const sent = (...codes) => ({ events: codes.map(([row, names]) => ({ kind: "codes", row, codes: names })) });

test("each code keeps a letter of its own, and those after the alphabet have none", () => {
  const letters = new Letters();
  assert.deepEqual(["blur", "Bad unit", "BLUR", "ärger", "b"].map((one) => letters.of(one)), ["B", "A", "B", "R", "C"]);
  const all = Array.from({ length: 40 }, (_, place) => letters.of(`kind ${place}`));
  assert.equal(new Set([...letters.given.values()]).size, 26);
  assert.equal(all.at(-1), "");
  assert.equal(letters.named("A", ["blur", "bad unit"]), "bad unit");
});

test("a code is put in, taken out and known in any case", () => {
  assert.deepEqual(turned(["blur"], "dark"), ["blur", "dark"]);
  assert.deepEqual(turned(["blur", "dark"], "BLUR"), ["dark"]);
  assert.deepEqual(withTyped(["blur"], " Dark ;; BLUR; wrong  unit", ["dark"]), ["blur", "dark", "wrong unit"]);
});

test("what was given here since counts before what Python knows", () => {
  const view = { codes: ["fog", "blur"], history: [{ row: 3, codes: ["fog"] }] };
  assert.deepEqual(codesOf(3, view, sent()), ["fog"]);
  assert.deepEqual(codesOf(3, view, sent([3, ["blur"]], [4, ["dark"]], [3, []])), []);
  assert.deepEqual(knownCodes(view, sent([4, ["Fog", "dark"]])), ["fog", "blur", "dark"]);
});

test("a verdict is known to be a failure here, a class only to the server", () => {
  const verdict = { criteria: [], faults: [1] };
  assert.deepEqual([0, 1, null].map((answer) => failsHere(answer, verdict)), [false, true, null]);
  assert.equal(failsHere(1, { criteria: [], faults: [] }), null);
  const several = { criteria: [{ faults: [1] }, { faults: [0, 1] }], faults: [] };
  assert.deepEqual([[0, 2], [0, 1], [1, -1], [1]].map((answer) => failsHere(answer, several)), [false, true, false, false]);
});
