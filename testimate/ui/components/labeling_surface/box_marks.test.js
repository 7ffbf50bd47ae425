import assert from "node:assert/strict";
import { test } from "node:test";

import { BoxMarks, boxWords } from "./box_marks.ts";

test("a picture in which nothing is marked is all right", () => {
  assert.deepEqual(new BoxMarks(3, 2).answer(), []);
  assert.equal(boxWords([], ["ship", "buoy"]), "all right");
});

test("wrong boxes and missed objects come in rising order, as events hold them", () => {
  const marks = new BoxMarks(12, 2);
  marks.turn(10);
  marks.turn(2);
  marks.count(1, 2);
  marks.count(0, 1);
  assert.deepEqual(marks.answer(), [-2, -2, -1, 2, 10]);
  assert.equal(boxWords(marks.answer(), ["ship", "buoy"]), "wrong 3, 11; missed ship 1, buoy 2");
});

test("a box marked twice is right again, and each step is taken back in turn, the counts too", () => {
  const marks = new BoxMarks(3, 1);
  marks.turn(0);
  marks.turn(0);
  marks.count(0, 4);
  assert.deepEqual(marks.answer(), [-1, -1, -1, -1]);
  assert.equal(marks.back(), true);
  assert.deepEqual(marks.answer(), []);
  assert.equal(marks.back(), true);
  assert.deepEqual(marks.answer(), [0]);
  assert.equal(marks.back(), true);
  assert.equal(marks.back(), false);
});

test("an earlier answer stands there again, and comes back unchanged", () => {
  assert.deepEqual(new BoxMarks(4, 3, [-3, -1, -1, 0, 3]).answer(), [-3, -1, -1, 0, 3]);
});

test("what is no number of objects changes nothing", () => {
  const marks = new BoxMarks(1, 1);
  for (const wrong of [-1, 1.5, NaN, 1001, Infinity]) assert.equal(marks.count(0, wrong), false);
  assert.deepEqual([marks.answer(), marks.steps.length], [[], 0]);
});

test("arrows go round the boxes; where there is none they go nowhere", () => {
  const marks = new BoxMarks(3, 1);
  marks.move(-1);
  assert.equal(marks.at, 2);
  marks.move(1);
  assert.equal(marks.at, 0);
  const none = new BoxMarks(0, 1);
  none.move(1);
  none.turn(none.at);
  assert.deepEqual([none.at, none.answer()], [-1, []]);
});
