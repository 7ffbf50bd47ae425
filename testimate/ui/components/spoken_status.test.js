import assert from "node:assert/strict";
import { test } from "node:test";

import { say } from "./spoken_status.ts";

test("the focus may have gone only where another input came than the one before", () => {
  const line = { dataset: {}, textContent: "" };
  assert.equal(say(line, { words: "0 of 3 done. Now input 10.", input: "10" }), false);
  assert.equal(say(line, { words: "0 of 3 done. Now input 10.", input: "10" }), false);
  assert.equal(say(line, { words: "1 of 3 done. Input 10: cat. Now input 11.", input: "11" }), true);
  assert.equal(line.textContent, "1 of 3 done. Input 10: cat. Now input 11.");
});
