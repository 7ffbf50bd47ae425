// Why an input was picked is said before the answer only where the session shows the prediction as well.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Words, whyWords } from "./words.ts";

const past = (row, why) => ({ row, position: 0, at_hand: true, shown: null, answer: 1, label: "cat", failed: null, why });
const view = (...history) => ({ history });

test("an input that comes with its reason shows it", () => {
  assert.equal(whyWords(view(past(3, "zone 1")), { row: 4, why: "zone 2" }), "Why: zone 2");
});

test("a blind session says why the input answered last was picked, and names that one", () => {
  assert.equal(whyWords(view(past(3, "zone 1"), past(1178, "round 2, zone 9: likely wrong")), { row: 4, why: "" }), "Why input 1,178 was picked: round 2, zone 9, likely wrong");
});

test("before the first answer, and after one that has no reason, nothing is said", () => {
  assert.equal(whyWords(view(), { row: 4, why: "" }), "");
  assert.equal(whyWords(view(past(3, "")), null), "");
});

test("who listens hears the last thing that was done, how far they are, and what is there now", () => {
  const said = { textContent: "" };
  const words = new Words({ querySelector: () => said });
  const announced = () => { words.spoken = false; words.speak({ done: 3, planned: 20 }, "Now input 8: a picture"); return said.textContent; };
  words.notice("q does nothing here.");
  words.deed = "Input 7 skipped. It comes back later.";
  assert.equal(announced(), "Input 7 skipped. It comes back later. 3 of 20 saved. Now input 8: a picture");
  words.deed = "cat for input 7.";
  words.notice("Undone: cat, input 7.");
  assert.equal(announced(), "Undone: cat, input 7. 3 of 20 saved. Now input 8: a picture");
});
