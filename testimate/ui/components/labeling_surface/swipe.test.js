import assert from "node:assert/strict";
import { test } from "node:test";

import { Swipe } from "./swipe.ts";
import { FakeElement } from "../../../../tests/javascript/stand_ins.js";

function over(wanted = () => true) {
  const swiped = [];
  const box = new FakeElement(".stage");
  box.style = { setProperty: () => {}, removeProperty: () => {} };
  new Swipe(box, new AbortController().signal, { swiped: (side) => swiped.push(side), wanted });
  const finger = (name, x, y, at, more = {}) => {
    for (const work of box.listeners[name]) work({ pointerId: 1, pointerType: "touch", clientX: x, clientY: y, timeStamp: at, ...more });
  };
  const stroke = (across, down, time, more) => {
    finger("pointerdown", 200, 300, 0, more);
    finger("pointermove", 200 + across, 300 + down, time, more);
    finger("pointerup", 200 + across, 300 + down, time, more);
  };
  return { swiped, finger, stroke, box };
}

test("a finger that goes quickly to one side gives that side", () => {
  const { swiped, stroke } = over();
  stroke(-90, 10, 200);
  stroke(120, -30, 300);
  assert.deepEqual(swiped, ["left", "right"]);
});

test("a short way, a scroll, a slow finger, a mouse and a second finger give nothing", () => {
  const { swiped, stroke, finger } = over();
  stroke(40, 0, 100);
  stroke(90, 120, 200);
  stroke(90, 0, 2000);
  stroke(90, 0, 200, { pointerType: "mouse" });
  finger("pointerdown", 200, 300, 0);
  finger("pointerdown", 260, 300, 10, { pointerId: 2 });
  finger("pointerup", 320, 300, 200);
  assert.deepEqual(swiped, []);
});

test("what the finger would answer is marked while it is down, and a swipe means nothing where none is wanted", () => {
  const { finger, box } = over();
  finger("pointerdown", 200, 300, 0);
  finger("pointermove", 290, 300, 100);
  assert.equal(box.dataset.swipe, "right");
  finger("pointercancel", 290, 300, 110);
  assert.equal(box.dataset.swipe, "");
  const none = over(() => false);
  none.stroke(-90, 0, 100);
  assert.deepEqual(none.swiped, []);
});
