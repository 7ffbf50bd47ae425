import assert from "node:assert/strict";
import { test } from "node:test";

import { KINDS, kindOf } from "./kinds.ts";

const TASK = { classes: ["cat", "dog"], objects: ["ship"], unit: "m", no_class: "none", reasons: [], criteria: [{ name: "faithful", grades: ["1", "2"] }, { name: "polite", grades: ["right", "wrong"] }] };
const FEW = { letters: false, search: "", typed: false };

test("each kind says how it is given, how an answer of it reads and how one answers", () => {
  const answers = { classification: 1, "multi-label": [0, 1], regression: 2.5, verdict: 0, criteria: [1, -1], boxes: [-1, 0] };
  const words = { classification: "dog", "multi-label": "cat, dog", regression: "2.5 m", verdict: "cat", criteria: "faithful 2; polite –", boxes: "wrong 1; missed ship 1" };
  assert.deepEqual(Object.keys(KINDS), Object.keys(answers));
  for (const [kind, answer] of Object.entries(answers)) {
    const task = { ...TASK, kind };
    assert.equal(kindOf(task).words(answer, task).replace(/\s/g, " "), words[kind]);
    assert.match(kindOf(task).howTo(task, FEW), /\.$/);
    assert.equal(kindOf(task).Panel !== undefined, kindOf(task).given === "panel");
  }
});
