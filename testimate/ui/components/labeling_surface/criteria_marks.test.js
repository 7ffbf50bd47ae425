import assert from "node:assert/strict";
import { test } from "node:test";

import { CriteriaMarks, SKIPPED, criteriaWords, gradeKey } from "./criteria_marks.ts";

test("the answer is complete once each criterion is answered or skipped, in any order", () => {
  const marks = new CriteriaMarks([5, 2, 2]);
  marks.give(1, 0);
  assert.equal(marks.at, 2);
  marks.give(2, SKIPPED);
  assert.equal(marks.at, 0);
  assert.equal(marks.answer(), undefined);
  marks.give(0, 4);
  assert.ok(marks.complete);
  assert.deepEqual(marks.answer(), [4, 0, SKIPPED]);
});

test("an output whose criteria are all skipped is one that nobody can tell", () => {
  const marks = new CriteriaMarks([5, 2]);
  marks.give(0, SKIPPED);
  marks.give(1, SKIPPED);
  assert.equal(marks.answer(), null);
});

test("each step can be taken back, and its criterion is reached again", () => {
  const marks = new CriteriaMarks([5, 2]);
  marks.give(0, 3);
  assert.ok(marks.back());
  assert.deepEqual([marks.at, marks.places], [0, [null, null]]);
  assert.ok(!marks.back());
});

test("a grade that a criterion lacks changes nothing", () => {
  const marks = new CriteriaMarks([5, 2]);
  marks.give(1, 2);
  marks.give(2, 0);
  assert.deepEqual(marks.places, [null, null]);
});

test("an earlier answer is stored by Enter, not by the first change; what was added since is open", () => {
  const marks = new CriteriaMarks([5, 2], [4, 1]);
  marks.give(1, 0);
  assert.ok(!marks.complete);
  assert.deepEqual(marks.answer(), [4, 0]);
  assert.deepEqual(new CriteriaMarks([5, 2, 2], [4, 1]).open, [2]);
});

test("a number's key is its own digit, a word's its place", () => {
  assert.deepEqual(["0", "5", "10"].map((_, place) => gradeKey(["0", "5", "10"], place)), ["0", "5", ""]);
  assert.deepEqual([0, 1].map((place) => gradeKey(["right", "wrong"], place)), ["1", "2"]);
});

test("an answer in words names each criterion", () => {
  const criteria = [{ name: "faithful", grades: ["1", "2"] }, { name: "polite", grades: ["right", "wrong"] }];
  assert.equal(criteriaWords([1, SKIPPED], criteria), "faithful 2; polite –");
});
