// A panel of answers that neither buttons nor one field can give, such as a detector's boxes. A kind that has one extends this.

import type { Answer, Content, Task } from "./types.ts";

export class Panel {
  unseen = false; // the input is missing or damaged, so nobody can answer

  // Whether something is marked that is not stored yet.
  get begun() {
    return false;
  }

  /** @param _task of its kind; null where the task is of another, and the panel is not shown */
  setTask(_task: Task | null) {}

  // A new input: nothing marked, or what was answered before.
  show(_content: Content | undefined, _previous: Answer) {}

  // Whether nothing is left to ask, so that the answer is stored by itself.
  get complete() {
    return false;
  }

  /** @returns what storing gives; null where nobody can tell, undefined while something is open */
  answer(): Answer | undefined {
    return null;
  }

  /** @returns whether something of this input was taken back */
  back(): boolean {
    return false;
  }

  // What a key does here, or null.
  workOf(_key: string): (() => void) | null {
    return null;
  }

  // The keys, for the list behind "?".
  keys(): [string, string][] {
    return [];
  }

  // Whether the field that has the focus is one of its own.
  holds(_field: EventTarget) {
    return false;
  }

  /** @returns whether what is typed in its field can be taken, and the field was left */
  leaveField(): boolean {
    return true;
  }
}
