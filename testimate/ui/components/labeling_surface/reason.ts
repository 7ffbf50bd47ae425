// The reason that goes with an answer, where one is asked for: nothing is stored without it.

import { part, textField } from "../elements.ts";

import type { Answer } from "./types.ts";

export class Reason {
  form: HTMLElement;
  field: HTMLInputElement;
  lacking: HTMLElement;
  row: number | null;
  answer: Answer;

  // give: call with the row it was opened on, the answer, and the words of the reason.
  constructor(frame: HTMLElement, signal: AbortSignal, give: (row: number, answer: Answer, words: string) => void) {
    this.form = part(frame, ".reason");
    this.field = textField(frame, ".reason-field");
    this.lacking = part(frame, ".reason-lacking");
    this.row = null;
    this.answer = null;
    part(frame, ".reason-close").addEventListener("click", () => this.close(), { signal });
    this.field.addEventListener("input", () => { this.lacking.textContent = ""; }, { signal });
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      const words = this.field.value.trim();
      if (!words) this.lacking.textContent = "Type a reason to save this answer.";
      else if (this.row !== null) give(this.row, this.answer, words);
    }, { signal });
  }

  open(row: number, answer: Answer, label: string) {
    this.row = row;
    this.answer = answer;
    this.form.hidden = false;
    this.lacking.textContent = "";
    this.field.value = "";
    this.field.placeholder = `Why “${label}”?`;
    this.field.setAttribute("aria-label", `Reason for ${label}`);
    this.field.focus({ preventScroll: true });
  }

  close() {
    this.row = null;
    this.form.hidden = true;
    this.field.blur();
  }
}
