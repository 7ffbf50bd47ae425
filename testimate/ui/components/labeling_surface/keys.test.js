import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { Keyboard, isForInputMethod, keyOf } from "./keys.ts";
import { OwnKeys } from "./own_keys.ts";
import { Panel } from "./panel.ts";
import { FakeElement, Storage, set } from "../../../../tests/javascript/stand_ins.js";

const pressed = (key, code = "", more = {}) => ({ key, code, shiftKey: false, ...more });

test("digits are what is printed on the key, whatever the layout and the number lock", () => {
  assert.equal(keyOf(pressed("7", "Digit7")), "7");
  assert.equal(keyOf(pressed("&", "Digit1")), "1"); // unshifted on a French keyboard
  assert.equal(keyOf(pressed("!", "Digit1", { shiftKey: true })), "");
  assert.equal(keyOf(pressed("End", "Numpad1")), "1");
});

test("letters are small, those of other scripts by their place, and shifted ones mean nothing", () => {
  assert.equal(keyOf(pressed("A", "KeyA")), "a"); // caps lock
  assert.equal(keyOf(pressed("ф", "KeyA")), "a");
  assert.equal(keyOf(pressed("q", "KeyA")), "q"); // a French layout is Latin
  assert.equal(keyOf(pressed("A", "KeyA", { shiftKey: true })), "");
  assert.equal(keyOf(pressed("?", "Slash", { shiftKey: true })), "?");
});

test("keys of an input method are its own, also the one that ends a composition late", () => {
  assert.equal(isForInputMethod({ isComposing: true, key: "a" }), true);
  assert.equal(isForInputMethod({ isComposing: false, key: "Process" }), true);
  assert.equal(isForInputMethod({ isComposing: false, key: "Enter", keyCode: 229 }), true);
  assert.equal(isForInputMethod({ isComposing: false, key: "Enter", keyCode: 13 }), false);
});

// ---- a keyboard over a surface that only notes what it is asked for

const ACTIONS = { "cannot tell": " ", skip: "s", flag: "f", undo: "Backspace", play: "p" };
const NUMBERS = { kind: "regression", classes: [], order: [], keys: [], colors: [], actions: ACTIONS, unit: "", range: null, usual: null };
const DIGITS = { kind: "classification", classes: ["0", "1"], order: [0, 1], keys: ["0", "1"], colors: ["", ""], actions: ACTIONS, unit: "", range: null, usual: null };
let done;
let keyboard;
let surface;
let field;

beforeEach(() => {
  set("localStorage", new Storage());
  set("Element", FakeElement);
  set("HTMLElement", FakeElement);
  set("document", new FakeElement("document"));
  FakeElement.active = null;
});

function over(task) {
  done = [];
  const frame = new FakeElement("section");
  const parts = new Map();
  frame.querySelector = (name) => {
    if (!parts.has(name)) parts.set(name, new FakeElement(name));
    return parts.get(name);
  };
  field = new FakeElement("input:not([type=button])");
  const search = new FakeElement("input:not([type=button])");
  search.hidden = true;
  const store = new FakeElement("button");
  store.hidden = task.kind === "classification";
  parts.set(".help", Object.assign(new FakeElement(".help"), { hidden: true }));
  const own = new OwnKeys("s1");
  own.applied(task, false);
  surface = {
    frame,
    own,
    row: 7,
    changing: null,
    view: { task },
    stage: { sound: null, zoomable: false },
    note: { field: new FakeElement("textarea") },
    outside: { field: new FakeElement("textarea") },
    codes: { field: new FakeElement("textarea") },
    codeWork: (letter) => letter === "B" && !own.typed ? () => done.push("code B") : null,
    reason: { field: new FakeElement("textarea") },
    words: { notice: (words) => done.push(words) },
    seen: () => true,
    notTaken: (words) => done.push(words),
    act: (name) => done.push(name),
    answers: {
      field,
      search,
      store,
      panel: new Panel(),
      isNumber: task.kind === "regression",
      get typing() { return this.isNumber && field.value !== ""; },
      placeOfKey: (key) => task.keys.indexOf(key),
      take: (place) => done.push(place),
      storeAnswer: () => done.push(`store ${field.value}`),
      fieldChanged: () => {},
      marked: 0,
      mark: (which) => done.push(`mark ${which}`),
      takeFound: () => done.push(`find ${search.value}`),
      clearSearch: () => { search.value = ""; },
    },
  };
  keyboard = new Keyboard(surface, new AbortController().signal);
}

// Presses a key where the focus is; true where the browser may type it.
function press(key, more = {}) {
  const path = [FakeElement.active ?? document, surface.frame];
  let types = true;
  keyboard.keydown({
    ...pressed(key, /^[0-9]$/.test(key) ? `Digit${key}` : key),
    isComposing: false,
    repeat: false,
    getModifierState: () => false,
    composedPath: () => path,
    preventDefault: () => { types = false; },
    stopImmediatePropagation: () => done.push(`only here: ${key}`),
    ...more,
  });
  if (types && key.length === 1 && FakeElement.active === field) field.value += key;
  return types;
}

test("a class's key answers once, though it is held", () => {
  over(DIGITS);
  press("1");
  press("1", { repeat: true });
  press("s");
  assert.deepEqual(done, [1, "skip"]);
});

test("a key that does nothing says so once, but not those of Streamlit and none that is held", () => {
  over(DIGITS);
  press("x");
  press("x", { repeat: true });
  press("c");
  press("Shift");
  assert.deepEqual(done, ["x does nothing here. Press ? for all keys."]);
});

test("an answer to an input that nobody has seen yet is not taken, and that is said", () => {
  over(DIGITS);
  surface.seen = () => false;
  for (const key of ["1", "s"]) press(key);
  assert.deepEqual(done, ["Not saved: no input was on screen yet.", "Not saved: no input was on screen yet."]);
});

test("while the number's field holds something every key belongs to it", () => {
  over(NUMBERS);
  for (const key of "12 sf?/+") press(key);
  assert.equal(field.value, "12 sf?/+");
  assert.deepEqual(done, []);
  press("Enter");
  assert.deepEqual(done, ["store 12 sf?/+"]);
});

test("an empty field leaves the keys their meaning, and letters elsewhere type nothing", () => {
  over(NUMBERS);
  press("x");
  press(" ");
  press("5");
  field.value = "";
  press("s");
  press("Backspace");
  assert.match(done.shift(), /^x does nothing here/);
  assert.deepEqual(done, ["cannot tell", "skip", "undo"]);
});

test("keys go back to a field that holds something, wherever the focus went", () => {
  over(NUMBERS);
  press("4");
  FakeElement.active = null;
  press("s");
  assert.equal(field.value, "4s");
  press("Escape");
  assert.equal(field.value, "");
  assert.deepEqual(done, []);
});

test("a held key does not type on into the next input's field", () => {
  over(NUMBERS);
  press("5");
  press("5", { repeat: true });
  assert.equal(field.value, "55");
  surface.row = 8;
  field.value = "";
  assert.equal(press("5", { repeat: true }), false);
  assert.equal(field.value, "");
});

test("a key that acted types nowhere while it is held", () => {
  over(NUMBERS);
  press("f"); // opens the note
  FakeElement.active = surface.note.field;
  assert.equal(press("f", { repeat: true }), false);
  assert.equal(press("f"), true);
  assert.deepEqual(done, ["flag"]);
});

test("nothing is typed on an input that nobody can have seen yet", () => {
  over(NUMBERS);
  surface.seen = () => false;
  assert.equal(press("5"), false);
  assert.equal(field.value, "");
});

test("Ctrl with a key is the browser's, but where the layout gives it to an action, and in a field it always is", () => {
  over(DIGITS);
  press("z", { ctrlKey: true });
  surface.own.layOut("label studio");
  press("z", { ctrlKey: true });
  press("z", { metaKey: true }); // Command on a Mac
  press("y", { ctrlKey: true });
  FakeElement.active = surface.note.field;
  press("z", { ctrlKey: true });
  assert.deepEqual(done, ["undo", "undo"]);
});

test("keys with a modifier, of an input method and of a surface that left the page are left alone", () => {
  over(DIGITS);
  press("1", { ctrlKey: true });
  press("1", { isComposing: true });
  surface.frame.isConnected = false;
  press("1");
  assert.deepEqual(done, []);
});

// ---- more classes than keys: letters name them

const MANY = {
  kind: "classification",
  classes: ["ant", "bee"],
  order: [0, 1],
  keys: ["", ""],
  actions: { "cannot tell": " ", skip: "ArrowRight", flag: ",", undo: "Backspace", play: "-" },
  unit: "",
  range: null,
  usual: null,
};

test("a letter or digit begins a name in the search field, also those that Streamlit would take", () => {
  over(MANY);
  for (const key of ["b", "r", "c", "s", "7", "B"]) {
    FakeElement.active = null;
    assert.equal(press(key), true, key); // it is typed
    assert.equal(FakeElement.active, surface.answers.search, key);
  }
  assert.deepEqual(done, ["b", "r", "c", "s", "7", "B"].map((key) => `only here: ${key}`));
});

test("actions keep their keys beside the names, and Enter takes the name that is marked", () => {
  over(MANY);
  press(" ");
  press("ArrowRight");
  assert.deepEqual(done, ["cannot tell", "skip"]);
  FakeElement.active = surface.answers.search;
  surface.answers.search.value = "be";
  press("ArrowDown");
  press(" "); // part of the name
  press("Enter");
  assert.deepEqual(done.slice(2), ["mark 1", "find be"]);
});

test("an emptied field leaves the other keys their meaning, but Backspace takes back no answer", () => {
  over(MANY);
  FakeElement.active = surface.answers.search;
  press("Backspace");
  assert.deepEqual(done, []);
  press(" ");
  assert.deepEqual(done, ["cannot tell"]);
});

test("no name is begun where nothing is on the screen, nor by a key held since the input before", () => {
  over(MANY);
  surface.row = null;
  press("b");
  assert.equal(FakeElement.active, null);
  surface.row = 7;
  press("b");
  FakeElement.active = null;
  surface.row = 8;
  assert.equal(press("b", { repeat: true }), false);
  assert.equal(FakeElement.active, null);
});

test("Shift and a letter gives a code and answers nothing, whatever the layout; other letters do nothing", () => {
  over({ ...DIGITS, classes: ["b", "2"], keys: ["b", "2"] });
  assert.equal(press("B", { shiftKey: true, code: "KeyB" }), false);
  press("\u0418", { shiftKey: true, code: "KeyB" });
  press("b", { code: "KeyB" });
  press("D", { shiftKey: true, code: "KeyD" });
  assert.deepEqual(done, ["code B", "code B", 0, "D does nothing here. Press ? for all keys."]);
});
