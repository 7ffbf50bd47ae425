import assert from "node:assert/strict";
import { test } from "node:test";

import { evenColumns } from "./answers.ts";

test("classes stand in rows that are as even as the width allows", () => {
  assert.equal(evenColumns(10, 640, 50), 10); // all in one row
  assert.equal(evenColumns(10, 370, 50), 5); // six would fit, and leave four
  assert.equal(evenColumns(7, 370, 50), 4);
  assert.equal(evenColumns(3, 20, 50), 1); // no room for one, which has to stand all the same
});
