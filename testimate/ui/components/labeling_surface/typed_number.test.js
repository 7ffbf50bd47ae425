import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { numberInFull, readNumber } from "./typed_number.ts";

const CASES = JSON.parse(readFileSync(new URL("../../../../tests/ui/typed_numbers.json", import.meta.url), "utf-8"));

for (const [typed, expected] of Object.entries(CASES)) {
  test(`“${typed}” is read or refused as the table says, which Python reads too`, () => {
    const { value, refusal } = readNumber(typed);
    if (typeof expected === "string") assert.ok(refusal?.includes(expected), `${refusal} does not say ${expected}`);
    else assert.equal(value, expected);
  });
}

test("0 has no sign", () => assert.ok(Object.is(readNumber("-0").value, 0)));

test("what is shown in full is read as the same number", () => {
  for (let place = 0; place < 2000; place += 1) {
    const number = (place - 1000) * 10 ** ((place % 23) - 9) / 7;
    if (Math.abs(number) < 2 ** 53) assert.equal(readNumber(numberInFull(number)).value, number);
  }
});

test("thin spaces stand between thousands, and the unit behind", () => {
  assert.equal(numberInFull(-1234567.25, "USD"), "-1\u202f234\u202f567.25 USD");
  assert.equal(numberInFull(999), "999");
  assert.equal(numberInFull(1e-7, "m"), "1e-7 m");
});
