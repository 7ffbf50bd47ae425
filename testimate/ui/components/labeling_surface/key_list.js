// The list of all keys behind "?", in which each key can be changed.

import { clickedButton, element, focused, part } from "../elements.js";
import { MANY } from "./answers.js";
import { LAYOUTS } from "./known_keys.js";
import { ACTIONS, USUAL, keyWords } from "./own_keys.js";

/** @import { Task } from "./types.js" */
/** @import { OwnKeys } from "./own_keys.js" */

const MOST_LISTED = 200; // with more classes, only those that have a key

export class KeyList {
  /** @type {OwnKeys} set by show, as the next two */
  own;

  /** @type {Task} */
  task;

  /** @type {[string, string][]} */
  fixed;

  /**
   * done: called after a key was set.
   *
   * @param {HTMLElement} frame
   * @param {AbortSignal} signal
   * @param {import("./cue.js").Cue} cue
   * @param {() => void} done
   */
  constructor(frame, signal, cue, done) {
    this.frame = frame;
    this.box = part(frame, ".help");
    this.list = part(frame, ".help-keys");
    this.said = part(frame, ".help-said");
    this.reset = part(frame, ".help-reset");
    this.layouts = part(frame, ".layouts");
    this.sounds = part(frame, ".sound-cue");
    this.cue = cue;
    this.done = done;
    /** @type {string | null} */
    this.asking = null; // what a key is being chosen for
    this.list.addEventListener("click", (event) => {
      const button = clickedButton(event);
      if (button?.dataset.what) this.ask(button.dataset.what);
    }, { signal });
    this.reset.addEventListener("click", () => this.begunAgain(() => this.own.reset()), { signal });
    this.layouts.addEventListener("click", (event) => {
      const button = clickedButton(event);
      if (button?.dataset.layout) this.layOut(button.dataset.layout);
    }, { signal });
    this.layouts.addEventListener("keydown", (event) => this.arrow(event), { signal });
    this.sounds.addEventListener("click", () => {
      this.cue.turn(!this.cue.on);
      this.draw();
    }, { signal });
  }

  /** @param {() => void} change */
  begunAgain(change) {
    change();
    this.asking = null;
    this.said.textContent = HINT;
    this.done();
  }

  /** @param {string} name */
  layOut(name) {
    this.begunAgain(() => this.own.layOut(name));
    this.said.textContent = `Keys as in ${LAYOUTS[name].name}, in all sessions of this browser.`;
  }

  /**
   * The arrow keys choose among the layouts, as in every group of radio buttons.
   *
   * @param {KeyboardEvent} event
   */
  arrow(event) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const names = Object.keys(LAYOUTS);
    this.layOut(names[(names.indexOf(this.own.layout) + step + names.length) % names.length]);
    /** @type {HTMLElement | null} */
    const chosen = this.layouts.querySelector("[aria-checked=true]");
    chosen?.focus();
  }

  get open() {
    return !this.box.hidden;
  }

  /**
   * @param {OwnKeys} own
   * @param {Task} task
   * @param {[string, string][]} fixed
   */
  show(own, task, fixed) {
    this.own = own;
    this.task = task;
    this.fixed = fixed;
    this.asking = null;
    this.said.textContent = HINT;
    if (!this.layouts.childElementCount) this.layouts.append(...Object.entries(LAYOUTS).map(layoutButton));
    part(this.frame, ".help-how").textContent = howTo(task, own);
    this.draw();
    this.box.hidden = false;
    this.before = focused(this.frame);
    part(this.frame, ".help-close").focus({ preventScroll: true });
  }

  hide() {
    focused(this.frame)?.blur(); // what is hidden must not take the next key
    this.box.hidden = true;
    this.before?.focus?.({ preventScroll: true });
  }

  draw() {
    const { own, task } = this;
    const classes = task.order.map((place) => [`class ${place}`, task.classes[place]]);
    const listed = classes.filter(([what]) => own.keys.get(what) || classes.length <= MOST_LISTED);
    const settable = [...listed, ...ACTIONS.map((name) => [name, ACTION_WORDS[name]])];
    /** @type {[HTMLElement, string][]} */
    const lines = settable.map(([what, words]) => [this.buttonOf(what, words), words]);
    this.reset.hidden = !own.changed;
    /** @type {NodeListOf<HTMLButtonElement>} */
    const layouts = this.layouts.querySelectorAll("button");
    for (const button of layouts) {
      const chosen = button.dataset.layout === own.layout;
      button.setAttribute("aria-checked", String(chosen));
      button.tabIndex = chosen ? 0 : -1;
    }
    this.sounds.setAttribute("aria-pressed", String(this.cue.on));
    /** @type {[HTMLElement, string][]} */
    const fixed = this.fixed.map(([keys, words]) => [element("kbd", "", keys), words]);
    this.list.replaceChildren(...[...lines, ...fixed].map(lineOf));
  }

  /**
   * @param {string} what
   * @param {string} words
   */
  buttonOf(what, words) {
    const button = element("button", "plain key", "");
    const key = this.own.keys.get(what);
    button.type = "button";
    button.dataset.what = what;
    button.setAttribute("aria-label", `${words}: ${key ? `key ${keyWords(key)}` : "no key"}; change it`);
    button.append(element("kbd", "", this.asking === what ? "press…" : (key && keyWords(key)) || "–"));
    return button;
  }

  /** @param {string} what */
  ask(what) {
    this.asking = what;
    this.said.textContent = "Press the new key, or Esc to cancel.";
    this.draw();
    this.focus(what);
  }

  /** @param {string} what */
  focus(what) {
    [...this.list.querySelectorAll("button")].find((button) => button.dataset.what === what)?.focus();
  }

  /**
   * A key while one is being chosen.
   *
   * @param {string} key
   */
  choose(key) {
    const what = this.asking;
    if (what === null) return;
    const refusal = key === "Escape" || key === "Enter" ? "" : this.own.refusal(key);
    if (refusal) {
      this.said.textContent = refusal;
      return;
    }
    this.asking = null;
    this.said.textContent = HINT;
    if (key !== "Escape" && key !== "Enter") {
      this.own.set(what, key);
      this.done();
    }
    this.draw();
    this.focus(what);
  }

  /**
   * Tab stays in the list while it hides the rest.
   *
   * @param {KeyboardEvent} event
   */
  cycle(event) {
    const all = [...this.box.querySelectorAll("button")].filter((button) => !button.hidden && button.tabIndex >= 0);
    const here = all.indexOf(/** @type {HTMLButtonElement} */ (focused(this.frame)));
    event.preventDefault();
    all[(here + (event.shiftKey ? -1 : 1) + all.length) % all.length].focus();
  }
}

/** @param {[string, import("./known_keys.js").KeyLayout]} given */
function layoutButton([key, layout]) {
  const button = element("button", "", layout.name);
  button.type = "button";
  button.dataset.layout = key;
  button.setAttribute("role", "radio");
  return button;
}

const HINT = "Click a key to change it. Changes are kept in this browser for this session.";
/** @type {Record<string, string>} */
const ACTION_WORDS = {
  "cannot tell": "cannot tell",
  skip: "skip, it comes back later",
  flag: "flag with a note",
  undo: "undo, as often as you like",
};

/**
 * How one answers here, in a sentence or two.
 *
 * @param {Task} task
 * @param {OwnKeys} own
 */
function howTo(task, own) {
  const moved = ACTIONS.filter((name) => own.keys.get(name) !== USUAL[name]).map((name) => `${name} “${keyWords(own.keys.get(name) ?? "–")}”`);
  const many = task.classes.length > MANY;
  const search = own.typed
    ? "Type the first letters of the name, of its words, or a part of it: the class marked is the one that Enter takes; ↓ marks the next. A name typed in full comes first."
    : "Press / and type a part of the name: the class marked is the one that Enter takes; a name typed in full comes first.";
  const letters = task.classes.some((name, place) => /^[a-z]$/i.test(name) && task.keys[place] === name.toLowerCase());
  const lines = {
    classification: letters ? "Press the letter of the class." : many ? search : "Press the key shown on the class.",
    "multi-label": own.typed ? `${search} Do so for each class that is present, once more to take it out, then press Enter. Enter with nothing chosen stores “${task.no_class}”.` : `Press the key of each class that is present, once more to take it out, then Enter. Enter with nothing chosen stores “${task.no_class}”.${many ? ` ${search}` : ""}`,
    verdict: task.reasons.length ? "Press the key of the grade; where a reason is asked for, type it, then Enter." : "Press the key shown on the grade.",
    boxes: "Every box is right until you mark it: click it, or press its number. Click it again and it is right. Count the objects without a box by + and −, or type the number. A box around an object of another class is wrong, and the object is missed. Enter stores the picture.",
    regression: "Type the number, then Enter. While something is typed every key belongs to it; Esc empties the field.",
  };
  return [lines[task.kind], (letters || own.typed) && moved.length ? `Other keys here: ${moved.join(", ")}.` : ""].join(" ").trim();
}

/** @param {[string | HTMLElement, string]} given */
function lineOf([key, words]) {
  const line = document.createElement("div");
  const term = document.createElement("dt");
  term.append(key);
  line.append(term, element("dd", "", words));
  return line;
}
