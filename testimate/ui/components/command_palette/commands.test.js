import assert from "node:assert/strict";
import { test } from "node:test";

import { digitOf, fitting, moved, opens } from "./commands.ts";

const key = (given) => ({ key: "", code: "", ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...given });
const COMMANDS = [
  { id: "page plan", title: "Plan", group: "page", digit: "4" },
  { id: "page results", title: "Results", group: "page", digit: "6" },
  { id: "session 1", title: "اختبار الليل · Adaptive rounds (rra) · 30 labels", group: "session", digit: "" },
  { id: "demo road", title: "Road, steering angle", group: "demo", digit: "" },
];
const found = (typed) => fitting(COMMANDS, typed).map((one) => one.id);

test("a few letters find a command by its name, by beginnings of words, by its group and in any script", () => {
  assert.deepEqual(found(""), COMMANDS.map((one) => one.id));
  assert.equal(found("res")[0], "page results");
  assert.equal(found("adro")[0], "session 1");
  assert.deepEqual(found("الليل"), ["session 1"]);
  assert.equal(found("demo")[0], "demo road");
  assert.deepEqual(found("zzz"), []);
});

test("Ctrl K opens it, on a Mac Cmd K, and neither with a further key nor the letter alone", () => {
  assert.ok(opens(key({ key: "k", ctrlKey: true }), false));
  assert.ok(opens(key({ key: "л", code: "KeyK", ctrlKey: true }), false));
  assert.ok(opens(key({ key: "k", metaKey: true }), true));
  for (const [given, onMac] of [
    [{ ctrlKey: true }, true],
    [{ metaKey: true }, false],
    [{ ctrlKey: true, shiftKey: true }, false],
    [{ ctrlKey: true, altKey: true }, false],
    [{}, false],
  ]) assert.ok(!opens(key({ key: "k", ...given }), onMac), JSON.stringify(given));
});

test("Alt Shift and a digit is that digit on every layout, and never without both", () => {
  assert.equal(digitOf(key({ key: "$", code: "Digit4", altKey: true, shiftKey: true })), "4");
  assert.equal(digitOf(key({ key: "4", code: "Digit4", altKey: true })), "");
  assert.equal(digitOf(key({ key: "$", code: "Digit4", shiftKey: true })), "");
  assert.equal(digitOf(key({ key: "$", code: "Digit4", altKey: true, shiftKey: true, ctrlKey: true })), "");
  assert.equal(digitOf(key({ key: "4", code: "Numpad4", altKey: true, shiftKey: true })), "");
});

test("the mark goes round with the arrows and stops at the ends by the page", () => {
  assert.deepEqual([moved("ArrowDown", 2, 3), moved("ArrowUp", 0, 3)], [0, 2]);
  assert.deepEqual([moved("PageDown", 1, 4), moved("PageUp", 3, 40)], [3, 0]);
  assert.equal(moved("a", 0, 3), null);
});
