// The note that goes with a flag.

class Note {
  // flag: call with the row it was opened on and the words of the note.
  constructor(frame, signal, flag) {
    this.form = frame.querySelector(".note");
    this.field = frame.querySelector(".note-field");
    this.row = null;
    frame.querySelector(".note-close").addEventListener("click", () => this.close(), { signal });
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.row !== null) flag(this.row, this.field.value.trim());
    }, { signal });
  }

  open(row) {
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
