// How labeling stands: what Python delivered, corrected by the events it has not taken in yet.

import { boxWords } from "./box_marks.js";
import { numberInFull } from "./typed_number.js";

/** @import { Answer, PastAnswer, StripEntry, Task, View } from "./types.js" */
/** @import { Outbox } from "./outbox.js" */

/**
 * Rows to label, in order.
 *
 * @param {View} view
 * @param {Outbox} outbox
 * @returns {number[]}
 */
export function openRows(view, outbox) {
  const last = outbox.lastOfRows();
  const queued = view.queue.map((item) => item.row);
  const closed = (/** @type {number} */ row) => (last.get(row)?.kind ?? "undo") !== "undo";
  const back = [...last.values()].filter((event) => event.kind === "undo" && !queued.includes(event.row));
  return [...back.reverse().map((event) => event.row), ...queued.filter((row) => !closed(row))];
}

/**
 * The last answers, oldest first.
 *
 * @param {View} view
 * @param {Outbox} outbox
 * @returns {StripEntry[]}
 */
export function lastAnswers(view, outbox) {
  /** @type {PastAnswer[]} */
  let answers = view.history.slice();
  for (const event of outbox.events) {
    if (event.kind === "flag" || event.kind === "skip") continue;
    answers = answers.filter((entry) => entry.row !== event.row);
    if (event.kind === "undo") continue;
    const answer = event.kind === "answer" ? event.answer ?? null : null;
    const label = answer === null ? "cannot tell" : answerWords(answer, view.task);
    answers.push({ row: event.row, position: event.position, answer, label, failed: null });
  }
  const isNumber = view.task.kind === "regression";
  return answers.map((entry) => ({ ...entry, isNumber, far: isFar(entry.answer, view.task) }));
}

/**
 * @param {number | number[]} answer
 * @param {Task} given
 * @returns {string}
 */
export function answerWords(answer, { kind, classes, objects, unit, no_class: noClass }) {
  if (kind === "boxes" && Array.isArray(answer)) return boxWords(answer, objects);
  if (Array.isArray(answer)) return answer.map((place) => classes[place] ?? "?").join(", ") || noClass;
  if (kind === "regression") return numberInFull(answer, unit);
  return classes[answer] ?? "?";
}

/**
 * Whether a number lies far from everything that the model predicts for any input: perhaps a slip of a digit.
 *
 * @param {Answer} value
 * @param {Task} given
 */
export function isFar(value, { usual }) {
  return usual !== null && typeof value === "number" && (value < usual[0] || value > usual[1]);
}

/**
 * How many inputs are answered, or cannot be told.
 *
 * @param {View} view
 * @param {Outbox} outbox
 */
export function doneCount(view, outbox) {
  const before = new Set(view.history.map((past) => past.row));
  const settled = [...outbox.lastOfRows().values()];
  const more = settled.filter((event) => event.kind !== "undo" && event.kind !== "skip" && !before.has(event.row));
  const less = settled.filter((event) => event.kind === "undo" && before.has(event.row));
  return Math.min(view.planned, view.done + more.length - less.length); // an answer to an input that others answered adds none
}
