import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { EventSender } from "./event_sender.ts";
import { Clock, Storage, set } from "../../../../tests/javascript/stand_ins.js";

let clock;
let sent;
let sender;
let hurried;

beforeEach(() => {
  clock = new Clock().install();
  clock.now = 10_000;
  set("localStorage", new Storage());
  set("navigator", { onLine: true });
  sent = [];
  hurried = false;
  sender = new EventSender("s1", "ada", () => [7], () => hurried);
  sender.send = (_name, message) => sent.push(message.events.map((event) => event.id));
});

function add(...names) {
  for (const id of names) sender.outbox.add({ id, kind: "answer", row: 7, position: 0, at: "" });
}

function acknowledge(...names) {
  for (const id of names) sender.outbox.remove(id);
  sender.landed();
}

test("the first event goes at once, those of the next 300 milliseconds together", () => {
  add("one");
  sender.flush();
  assert.deepEqual(sent, [["one"]]);
  acknowledge("one");
  add("two");
  sender.flush();
  add("three");
  sender.flush();
  assert.equal(sent.length, 1);
  clock.forward(299);
  assert.equal(sent.length, 1);
  clock.forward(1);
  assert.deepEqual(sent[1], ["two", "three"]);
});

test("with few inputs left nothing waits", () => {
  hurried = true;
  add("one");
  sender.flush();
  acknowledge("one");
  add("two");
  sender.flush();
  assert.deepEqual(sent, [["one"], ["two"]]);
});

test("what a server that came back does not know goes out at once", () => {
  sender.landed("page of the first start");
  add("one");
  sender.flush();
  clock.forward(22_000); // sent three times to a server that is gone; the next time would be 12 seconds after the last
  assert.equal(sent.length, 4);
  sender.landed("page of the first start");
  sender.flush();
  assert.equal(sent.length, 4);
  sender.landed("page of the second start");
  sender.flush();
  assert.deepEqual(sent[4], ["one"]);
});

test("a message that is not answered goes out again, after 3, 6 and 12 seconds, whole and with what came since", () => {
  add("one");
  sender.flush();
  add("two");
  sender.flush();
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
  sender.flush();
  acknowledge("one");
  clock.forward(60_000);
  assert.equal(sent.length, 1);
});

test("at most 200 events go in one message", () => {
  add(...Array.from({ length: 250 }, (_, place) => `event ${place}`));
  sender.flush();
  assert.equal(sent[0].length, 200);
});

test("a sender that stopped sends nothing", () => {
  add("one");
  sender.flush();
  sender.stop();
  clock.forward(60_000);
  assert.equal(sent.length, 1);
});

test("it asks for inputs at most every two seconds", () => {
  sender.ask();
  sender.ask();
  clock.forward(1999);
  sender.ask();
  assert.equal(sent.length, 1);
  clock.forward(1);
  sender.ask();
  assert.deepEqual(sent, [[], []]);
});

test("it says aloud what waits over three seconds, or at once where there is no network", () => {
  assert.equal(sender.complaint(), "");
  add("one");
  clock.forward(3000);
  assert.equal(sender.complaint(), "");
  clock.forward(1);
  assert.match(sender.complaint(), /^1 label not saved yet/);
  set("navigator", { onLine: false });
  acknowledge("one");
  add("two", "three");
  assert.match(sender.complaint(), /^2 labels not saved yet/);
});

test("a question carries what is in flight, because the server may take it in place of the message before", () => {
  sender.callAgain();
  assert.deepEqual(sent, [[]]);
  add("one", "two");
  sender.flush();
  acknowledge("one");
  add("three"); // waits for its turn
  sender.callAgain();
  assert.deepEqual(sent.at(-1), ["two"]);
  acknowledge("two", "three");
  sender.callAgain();
  assert.deepEqual(sent.at(-1), []);
});
