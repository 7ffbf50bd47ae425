import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { LAYOUTS } from "./key_table.ts";
import { keysAsIn } from "./known_keys.ts";
import { OwnKeys } from "./own_keys.ts";
import { Storage, set } from "../../../../tests/javascript/stand_ins.js";

const ACTIONS = { "cannot tell": " ", skip: "s", flag: "f", undo: "Backspace", play: "p" };
const anyKey = () => true;

function task(classes, keys) {
  return { kind: "classification", classes, order: classes.map((_, place) => place), keys, colors: [], accepts: classes.length === 2 ? [0, 1] : null, actions: ACTIONS };
}

const WORDS = ["bus", "car", "cat", "dog", "bird", "ship", "deer", "frog", "truck", "horse", "plane", "tram"];
const OURS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "0", "a", "b"];

beforeEach(() => set("localStorage", new Storage()));

test("every layout gives each class and action a key, and no two the same", () => {
  const tasks = [task(["yes", "no"], ["1", "2"]), task(WORDS, OURS), task(["0", "a", "other"], ["0", "a", "1"]), task(["b", "a"], ["b", "a"]), task(["other", "a"], ["1", "a"])];
  for (const one of tasks) {
    for (const name of Object.keys(LAYOUTS)) {
      const keys = [...keysAsIn(one, name, anyKey).values()];
      assert.equal(keys.length, one.classes.length + 4, name);
      assert.ok(keys.every(Boolean), name);
      assert.equal(new Set(keys).size, keys.length, name);
    }
  }
});

test("of two classes Prodigy accepts the first by a and rejects by x; space, f and backspace are as there", () => {
  const keys = keysAsIn(task(["yes", "no"], ["1", "2"]), "prodigy", anyKey);
  assert.deepEqual([keys.get("class 0"), keys.get("class 1")], ["a", "x"]);
  assert.deepEqual(["cannot tell", "flag", "undo"].map((name) => keys.get(name)), [" ", "f", "Backspace"]);
});

test("of right, partly and wrong Prodigy accepts right by a and rejects wrong by x", () => {
  const verdict = { ...task(["right", "partly", "wrong"], ["1", "2", "3"]), kind: "verdict", accepts: [0, 2] };
  const keys = keysAsIn(verdict, "prodigy", anyKey);
  assert.deepEqual(verdict.classes.map((_, place) => keys.get(`class ${place}`)), ["a", "2", "x"]);
});

test("Label Studio goes on with q and w after ten classes, skips with Ctrl and space and undoes with Ctrl and Z", () => {
  const keys = keysAsIn(task(WORDS, OURS), "label studio", anyKey);
  assert.equal(WORDS.map((_, place) => keys.get(`class ${place}`)).join(""), "1234567890qw");
  assert.deepEqual([keys.get("skip"), keys.get("undo")], ["Ctrl+ ", "Ctrl+z"]);
});

test("a class named by a letter keeps it in every layout, and an action that had it moves", () => {
  const one = { ...task(["a", "f"], ["a", "f"]), actions: { ...ACTIONS, flag: "," } };
  for (const name of Object.keys(LAYOUTS)) {
    const keys = keysAsIn(one, name, anyKey);
    assert.deepEqual([keys.get("class 0"), keys.get("class 1"), keys.get("flag")], ["a", "f", ","], name);
  }
});

test("with more classes than keys all are named by their first letters, whatever the layout", () => {
  const keys = keysAsIn(task(WORDS, WORDS.map(() => "")), "label studio", anyKey);
  assert.ok(WORDS.every((_, place) => keys.get(`class ${place}`) === ""));
});

test("the layout is kept for all sessions of the browser, and takes the place of keys set one by one", () => {
  const own = new OwnKeys("s1");
  own.applied(task(["yes", "no"], ["1", "2"]), false);
  own.set("class 0", "y");
  own.layOut("prodigy");
  assert.equal(own.keys.get("class 0"), "a");
  const other = new OwnKeys("s2");
  assert.deepEqual(other.applied(task(["yes", "no"], ["1", "2"]), false).keys, ["a", "x"]);
  own.set("class 0", "y");
  assert.deepEqual(new OwnKeys("s1").applied(task(["yes", "no"], ["1", "2"]), false).keys, ["y", "x"]);
});
