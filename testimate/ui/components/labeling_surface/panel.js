// A panel of answers that neither buttons nor one field can give, such as a detector's boxes. A kind that has one extends this.

/** @import { Answer, Content, Task } from "./types.js" */

export class Panel {
  unseen = false; // the input is missing or damaged, so nobody can answer

  // Whether something is marked that is not stored yet.
  get begun() {
    return false;
  }

  /** @param {Task | null} _task of its kind; null where the task is of another, and the panel is not shown */
  setTask(_task) {}

  /**
   * A new input: nothing marked, or what was answered before.
   *
   * @param {Content | undefined} _content
   * @param {Answer} _previous
   */
  show(_content, _previous) {}

  /** @returns {Answer} what storing gives */
  answer() {
    return null;
  }

  /** @returns {boolean} whether something of this input was taken back */
  back() {
    return false;
  }

  /**
   * What a key does here, or null.
   *
   * @param {string} _key
   * @returns {(() => void) | null}
   */
  workOf(_key) {
    return null;
  }

  // The keys, for the list behind "?".
  /** @returns {[string, string][]} */
  keys() {
    return [];
  }

  /**
   * Whether the field that has the focus is one of its own.
   *
   * @param {EventTarget} _field
   */
  holds(_field) {
    return false;
  }

  /** @returns {boolean} whether what is typed in its field can be taken, and the field was left */
  leaveField() {
    return true;
  }
}
