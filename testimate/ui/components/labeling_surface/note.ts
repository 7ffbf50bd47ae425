// The note that goes with a flag.

import { part, textField } from "../elements.ts";

export class Note {
  form: HTMLElement;
  field: HTMLInputElement;
  row: number | null;

  // flag: call with the row it was opened on and the words of the note.
  constructor(frame: HTMLElement, signal: AbortSignal, flag: (row: number, words: string) => void) {
    this.form = part(frame, ".note");
    this.field = textField(frame, ".note-field");
    this.row = null;
    part(frame, ".note-close").addEventListener("click", () => this.close(), { signal });
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.row !== null) flag(this.row, this.field.value.trim());
    }, { signal });
  }

  open(row: number) {
    this.row = row;
    this.form.hidden = false;
    this.field.value = "";
    this.field.focus({ preventScroll: true });
  }

  close() {
    this.row = null;
    this.form.hidden = true;
    this.field.blur();
  }
}
