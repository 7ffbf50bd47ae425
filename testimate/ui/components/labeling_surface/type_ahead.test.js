import assert from "node:assert/strict";
import { test } from "node:test";

import { TypeAhead } from "./type_ahead.ts";

const over = (names) => {
  const ahead = new TypeAhead(names, names.map((_, place) => place));
  return (typed) => ahead.find(typed).map((place) => names[place]);
};

test("the name itself comes first, then those that begin so, words of it, beginnings of words, and parts", () => {
  const find = over(["wildcat", "black cat", "catfish", "cat", "tall cattle", "crow at sea"]);
  assert.deepEqual(find("cat"), ["cat", "catfish", "black cat", "tall cattle", "crow at sea", "wildcat"]);
});

test("beginnings of the words, in their order, name a class that shares its first word with others", () => {
  const find = over(["great gray owl", "great white shark", "great reed warbler", "white wolf"]);
  assert.deepEqual(find("gws"), ["great white shark"]);
  assert.deepEqual(find("grwsh"), ["great white shark"]);
  assert.deepEqual(find("sg"), []);
});

test("a number is the whole number before it is the beginning of another", () => {
  const find = over([...Array(200).keys()].map((place) => `kind ${place}`));
  assert.deepEqual(find("1").slice(0, 3), ["kind 1", "kind 10", "kind 11"]);
  assert.equal(find("137")[0], "kind 137");
});

test("accents and capitals are not needed, and tell names apart that differ in nothing else", () => {
  const find = over(["a", "A", "Ä", "élan", "elan", "سيارة", "汽车"]);
  assert.equal(find("A")[0], "A");
  assert.equal(find("a")[0], "a");
  assert.equal(find("Ä")[0], "Ä");
  assert.equal(find("él")[0], "élan");
  assert.equal(find("elan")[0], "elan");
  assert.deepEqual(find("سي"), ["سيارة"]);
  assert.deepEqual(find("车"), ["汽车"]);
});

test("whatever the names, each is the first to fit when it is typed in full", () => {
  let seed = 7; // a linear congruential generator: Knuth's MMIX would not fit into 53 bits, so that of Numerical Recipes
  const next = (most) => (seed = (1664525 * seed + 1013904223) % 2 ** 32) % most;
  const names = [...new Set([...Array(300)].map(() => [...Array(1 + next(4))].map(() => "ab ab-cAé1"[next(10)]).join("").trim()))];
  const find = over(names.filter(Boolean));
  for (const name of names.filter(Boolean)) assert.equal(find(name)[0], name);
  assert.deepEqual(find("zz"), []);
});

test("a name of a thousand words holds nothing up", () => {
  const find = over(["a ".repeat(1000) + "b", "aaaa"]);
  assert.equal(find("aaaaaaaaaaac").length, 0);
});
