import assert from "node:assert/strict";
import { test } from "node:test";

import { contentWords, deedWords } from "./spoken.ts";

test("who cannot see an input is informed its text, its columns, or what kind of thing it is", () => {
  assert.equal(contentWords({ text: "How\n  much?" }), "How much?");
  assert.equal(contentWords({ cells: [["age", "41"], ["blood", "A"]] }), "age 41, blood A");
  assert.equal(contentWords({ image: {}, thumbnail: null }), "a picture");
  assert.equal(contentWords({ image: {}, broken: true }), "it can't be shown, its data are damaged");
});

test("of an output under judgment every part is read out, by its name", () => {
  const panes = { titles: ["Input", "Output"], contents: [{ text: "How many hours are 3 days?" }, { text: " " }] };
  assert.equal(contentWords({ panes, text: "How many hours are 3 days?\n " }), "Input: How many hours are 3 days? Output: empty");
});

test("a long text is read out as far as anybody listens, and says that it goes on", () => {
  const said = contentWords({ text: "word ".repeat(200) });
  assert.ok(said.length < 320 && said.endsWith("… and so on"));
});

test("what was done to which input is said in a sentence", () => {
  assert.equal(deedWords("answer", "cat", 7), "cat for input 7.");
  assert.equal(deedWords("skip", "", 7), "Input 7 skipped. It comes back later.");
  assert.equal(deedWords("cannot tell", "", 7), "Input 7: can't tell.");
});
