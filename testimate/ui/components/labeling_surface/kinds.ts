// What each kind of answer is here: how it is given, how it reads, and how the list of keys explains it. One line a kind.

import { boxWords } from "./box_marks.ts";
import { BoxPanel } from "./boxes.ts";
import { CriteriaPanel } from "./criteria.ts";
import { criteriaWords } from "./criteria_marks.ts";
import { outsideWords } from "./outside.ts";
import { numberInFull } from "./typed_number.ts";

import type { Answer, Kind, Task } from "./types.ts";

export const KINDS: Record<string, Kind> = {
  classification: {
    given: "one",
    words: nameOf,
    howTo: (_, { letters, search }) => letters ? "Press the letter of the class." : search || "Press the key shown on the class.",
  },
  "multi-label": {
    given: "several",
    words: (answer, task) => (Array.isArray(answer) ? answer : []).map((one) => nameOf(one, task)).join(", ") || task.no_class,
    howTo: ({ no_class: noClass }, { typed, search }) => {
      const nothing = `Enter with nothing chosen stores “${noClass}”.`;
      const present = "each class that is present, once more to take it out,";
      if (typed) return `${search} Do so for ${present} then press Enter. ${nothing}`;
      return `Press the key of ${present} then Enter. ${nothing} ${search}`.trim();
    },
  },
  regression: {
    given: "number",
    words: (answer, { unit }) => numberInFull(Number(answer), unit),
    howTo: () => "Type the number, then Enter. While something is typed every key belongs to it; Esc empties the field.",
  },
  verdict: {
    given: "one",
    graded: true,
    words: nameOf,
    howTo: ({ reasons }) => reasons.length ? "Press the key of the grade; where a reason is asked for, type it, then Enter." : "Press the key shown on the grade.",
  },
  criteria: {
    given: "panel",
    Panel: CriteriaPanel,
    words: (answer, { criteria }) => criteriaWords(placesOf(answer), criteria),
    howTo: () => "A key answers the criterion that is marked, and the next one is marked. Skip one by x. The output is stored once each is answered or skipped.",
  },
  boxes: {
    given: "panel",
    Panel: BoxPanel,
    words: (answer, { objects }) => boxWords(placesOf(answer), objects),
    howTo: () => "Every box is right until you mark it: click it, or press its number. Click it again and it is right. Count the objects without a box by + and −, or type the number. A box around an object of another class is wrong, and the object is missed. Enter stores the picture.",
  },
};

export const kindOf = (task: Task) => KINDS[task.kind];

function nameOf(answer: Answer, task: Task) {
  return typeof answer === "string" ? outsideWords(answer, task) : task.classes[Number(answer)] ?? "?";
}

function placesOf(answer: Answer) {
  return Array.isArray(answer) ? answer.map(Number) : [];
}
