import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { Courier } from "../../testimate/ui/components/labeling_surface/courier.js";
import { Clock, Storage, set } from "./stand_ins.js";

let clock;
let sent;
let courier;
let hurried;

beforeEach(() => {
  clock = new Clock().install();
  clock.now = 10_000;
  set("localStorage", new Storage());
  set("navigator", { onLine: true });
  sent = [];
  hurried = false;
  courier = new Courier("s1", "ada", () => [7], () => hurried);
  courier.send = (_name, message) => sent.push(message.events.map((event) => event.id));
});

function add(...names) {
  for (const id of names) courier.outbox.add({ id, kind: "answer", row: 7, position: 0, at: "" });
}

function acknowledge(...names) {
  for (const id of names) courier.outbox.remove(id);
  courier.landed();
}

test("the first event goes at once, those of the next 300 milliseconds together", () => {
  add("one");
  courier.flush();
  assert.deepEqual(sent, [["one"]]);
  acknowledge("one");
  add("two");
  courier.flush();
  add("three");
  courier.flush();
  assert.equal(sent.length, 1);
  clock.forward(299);
  assert.equal(sent.length, 1);
  clock.forward(1);
  assert.deepEqual(sent[1], ["two", "three"]);
});

test("with few inputs left nothing waits", () => {
  hurried = true;
  add("one");
  courier.flush();
  acknowledge("one");
  add("two");
  courier.flush();
  assert.deepEqual(sent, [["one"], ["two"]]);
});

test("what a server that came back knows nothing of goes out at once", () => {
  courier.landed("page of the first start");
  add("one");
  courier.flush();
  clock.forward(22_000); // sent three times to a server that is gone; the next time would be 12 seconds after the last
  assert.equal(sent.length, 4);
  courier.landed("page of the first start");
  courier.flush();
  assert.equal(sent.length, 4);
  courier.landed("page of the second start");
  courier.flush();
  assert.deepEqual(sent[4], ["one"]);
});

test("a message that is not answered goes out again, after 3, 6 and 12 seconds, whole and with what came since", () => {
  add("one");
  courier.flush();
  add("two");
  courier.flush();
  const times = [];
  for (let second = 1; second <= 40; second += 1) {
    const before = sent.length;
    clock.forward(1000);
    if (sent.length > before) times.push(second);
  }
  assert.deepEqual(times, [3, 9, 21, 33]);
  assert.deepEqual(sent[1], ["one", "two"]);
});

test("once it is answered nothing goes out again", () => {
  add("one");
  courier.flush();
  acknowledge("one");
  clock.forward(60_000);
  assert.equal(sent.length, 1);
});

test("at most 200 events go in one message", () => {
  add(...Array.from({ length: 250 }, (_, place) => `event ${place}`));
  courier.flush();
  assert.equal(sent[0].length, 200);
});

test("a courier that stopped sends nothing", () => {
  add("one");
  courier.flush();
  courier.stop();
  clock.forward(60_000);
  assert.equal(sent.length, 1);
});

test("it asks for inputs at most every two seconds", () => {
  courier.ask();
  courier.ask();
  clock.forward(1999);
  courier.ask();
  assert.equal(sent.length, 1);
  clock.forward(1);
  courier.ask();
  assert.deepEqual(sent, [[], []]);
});

test("it says aloud what waits over three seconds, or at once where there is no network", () => {
  assert.equal(courier.complaint(), "");
  add("one");
  clock.forward(3000);
  assert.equal(courier.complaint(), "");
  clock.forward(1);
  assert.match(courier.complaint(), /^1 label not stored yet/);
  set("navigator", { onLine: false });
  acknowledge("one");
  add("two", "three");
  assert.match(courier.complaint(), /^2 labels not stored yet/);
});
