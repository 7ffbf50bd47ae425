// The reason that goes with an answer, where one is asked for: nothing is stored without it.

import { part, textField } from "../elements.js";

/** @import { Answer } from "./types.js" */

export class Reason {
  /**
   * give: call with the row it was opened on, the answer, and the words of the reason.
   *
   * @param {HTMLElement} frame
   * @param {AbortSignal} signal
   * @param {(row: number, answer: Answer, words: string) => void} give
   */
  constructor(frame, signal, give) {
    this.form = part(frame, ".reason");
    this.field = textField(frame, ".reason-field");
    this.lacking = part(frame, ".reason-lacking");
    /** @type {number | null} */
    this.row = null;
    /** @type {Answer} */
    this.answer = null;
    part(frame, ".reason-close").addEventListener("click", () => this.close(), { signal });
    this.field.addEventListener("input", () => { this.lacking.textContent = ""; }, { signal });
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      const words = this.field.value.trim();
      if (!words) this.lacking.textContent = "Nothing is stored yet: type why.";
      else if (this.row !== null) give(this.row, this.answer, words);
    }, { signal });
  }

  /**
   * @param {number} row
   * @param {Answer} answer
   * @param {string} label
   */
  open(row, answer, label) {
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
