import { deepEqual, equal } from "node:assert/strict";
import test from "node:test";

import { kindOf } from "./kinds.ts";
import { nameMeant, namesFor, placeSpelled } from "./outside.ts";

const ANIMALS = { kind: "classification", classes: ["cat", "sea lion"], outside: "none of these", no_class: "" };

test("a name that spells a class in another case, spacing or form of its letters is that class", () => {
  const names = [" Cat", "SEA-LION", "sea  lion", "ｃａｔ", "fox", "", "  "];
  deepEqual(names.map((name) => placeSpelled(name, ANIMALS)), [0, 1, 1, 0, -1, -1, -1]);
});

test("a name given before keeps its spelling, and begins with what is typed whatever the case", () => {
  deepEqual([nameMeant("GRAY FOX ", ["gray fox", "owl"]), nameMeant("  Red   kite", [])], ["gray fox", "Red kite"]);
  deepEqual(namesFor("O", ["owl", "gray fox", "Ostrich"]), ["owl", "Ostrich"]);
});

test("an answer that is none of the classes reads as that with its name, alone and in a set", () => {
  const words = (answer, task) => kindOf(task).words(answer, task);
  deepEqual([1, "", "fox"].map((answer) => words(answer, ANIMALS)), ["sea lion", "none of these", "none of these: fox"]);
  const sets = { ...ANIMALS, kind: "multi-label", outside: "something else", no_class: "none" };
  equal(words([0, "fox"], sets), "cat, something else: fox");
  equal(words([], sets), "none");
});
