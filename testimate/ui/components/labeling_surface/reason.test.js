// A reason that is asked for: nothing is given without words, and with words the answer of the input it was opened on.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Reason } from "./reason.ts";
import { FakeElement } from "../../../../tests/javascript/stand_ins.js";

let given;
let parts;
let reason;

beforeEach(() => {
  given = [];
  parts = new Map();
  const frame = new FakeElement("section");
  frame.querySelector = (name) => {
    if (!parts.has(name)) parts.set(name, Object.assign(new FakeElement(name), { setAttribute() {} }));
    return parts.get(name);
  };
  reason = new Reason(frame, new AbortController().signal, (...all) => given.push(all));
  reason.form.hidden = true;
});

const submit = () => reason.form.listeners.submit[0]({ preventDefault() {} });

test("the field opens with the focus and names the answer", () => {
  reason.open(7, 2, "wrong");
  assert.equal(reason.form.hidden, false);
  assert.equal(FakeElement.active, reason.field);
  assert.equal(reason.field.placeholder, "Why “wrong”?");
});

test("spaces are no reason: it says so and gives nothing", () => {
  reason.open(7, 2, "wrong");
  reason.field.value = "   ";
  submit();
  assert.deepEqual(given, []);
  assert.equal(parts.get(".reason-lacking").textContent, "Type a reason to save this answer.");
});

test("a reason goes with the answer of the input it was opened on", () => {
  reason.open(7, 2, "wrong");
  reason.field.value = " off by ten ";
  submit();
  assert.deepEqual(given, [[7, 2, "off by ten"]]);
});

test("once it is left, what comes late gives nothing", () => {
  reason.open(7, 2, "wrong");
  reason.field.value = "off by ten";
  reason.close();
  submit();
  assert.deepEqual(given, []);
  assert.equal(reason.form.hidden, true);
});
