// How labeling stands: what Python delivered, corrected by the events it has not taken in yet.

import { kindOf } from "./kinds.ts";

import type { Answer, PastAnswer, StripEntry, Task, View } from "./types.ts";
import type { Outbox } from "./outbox.ts";

// Rows to label, in order.
export function openRows(view: View, outbox: Outbox): number[] {
  const last = outbox.lastOfRows();
  const queued = view.queue.map((item) => item.row);
  const closed = (row: number) => (last.get(row)?.kind ?? "undo") !== "undo";
  const back = [...last.values()].filter((event) => event.kind === "undo" && !queued.includes(event.row));
  return [...back.reverse().map((event) => event.row), ...queued.filter((row) => !closed(row))];
}

// The last answers, oldest first.
export function lastAnswers(view: View, outbox: Outbox): StripEntry[] {
  const answers: Map<number, PastAnswer> = new Map(view.history.map((entry) => [entry.row, entry]));
  for (const event of outbox.events) {
    if (["flag", "codes", "skip"].includes(event.kind)) continue;
    answers.delete(event.row); // so that what is set again comes last
    if (event.kind === "undo") continue;
    const answer = event.kind === "answer" ? event.answer ?? null : null;
    const label = answer === null ? "can't tell" : kindOf(view.task).words(answer, view.task);
    answers.set(event.row, { row: event.row, position: event.position, answer, label, failed: null });
  }
  const isNumber = kindOf(view.task).given === "number";
  return [...answers.values()].map((entry) => ({ ...entry, isNumber, far: isFar(entry.answer, view.task) }));
}

// Whether a number lies far from everything that the model predicts for any input: perhaps a slip of a digit.
export function isFar(value: Answer, { usual }: Task) {
  return usual !== null && typeof value === "number" && (value < usual[0] || value > usual[1]);
}

// How many inputs are answered, or cannot be told.
export function doneCount(view: View, outbox: Outbox) {
  const before = new Set(view.history.map((past) => past.row));
  const settled = [...outbox.lastOfRows().values()];
  const more = settled.filter((event) => event.kind !== "undo" && event.kind !== "skip" && !before.has(event.row));
  const less = settled.filter((event) => event.kind === "undo" && before.has(event.row));
  return Math.min(view.planned, view.done + more.length - less.length); // an answer to an input that others answered adds none
}
