// The list of all keys behind "?", in which each key can be changed.

import { clickedButton, element, focused, part } from "../elements.ts";
import { MANY } from "./answers.ts";
import { ACTIONS, LAYOUTS, keyWords, keysOf } from "./key_table.ts";
import { kindOf } from "./kinds.ts";

import type { KeyLayout } from "./key_table.ts";
import type { Cue } from "./cue.ts";
import type { Task } from "./types.ts";
import type { OwnKeys } from "./own_keys.ts";

const MOST_LISTED = 200; // with more classes, only those that have a key

export class KeyList {
  frame: HTMLElement;
  box: HTMLElement;
  list: HTMLElement;
  said: HTMLElement;
  reset: HTMLElement;
  layouts: HTMLElement;
  sounds: HTMLElement;
  cue: Cue;
  done: () => void;
  asking: string | null;
  before: HTMLElement | null | undefined;

  // set by show, as the next two
  own: OwnKeys;

  task: Task;

  fixed: [string, string][];

  // done: called after a key was set.
  constructor(frame: HTMLElement, signal: AbortSignal, cue: Cue, done: () => void) {
    this.frame = frame;
    this.box = part(frame, ".help");
    this.list = part(frame, ".help-keys");
    this.said = part(frame, ".help-said");
    this.reset = part(frame, ".help-reset");
    this.layouts = part(frame, ".layouts");
    this.sounds = part(frame, ".sound-cue");
    this.cue = cue;
    this.done = done;
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

  begunAgain(change: () => void) {
    change();
    this.asking = null;
    this.said.textContent = HINT;
    this.done();
  }

  layOut(name: string) {
    this.begunAgain(() => this.own.layOut(name));
    this.said.textContent = `Keys as in ${LAYOUTS[name].name}, in all sessions of this browser.`;
  }

  // The arrow keys choose among the layouts, as in every group of radio buttons.
  arrow(event: KeyboardEvent) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const names = Object.keys(LAYOUTS);
    this.layOut(names[(names.indexOf(this.own.layout) + step + names.length) % names.length]);
    const chosen: HTMLElement | null = this.layouts.querySelector("[aria-checked=true]");
    chosen?.focus();
  }

  get open() {
    return !this.box.hidden;
  }

  show(own: OwnKeys, task: Task, fixed: [string, string][]) {
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
    const settable = [...listed, ...ACTIONS.filter((name) => own.keys.has(name)).map((name) => [name, keysOf(name).words])];
    const lines: [HTMLElement, string][] = settable.map(([what, words]) => [this.buttonOf(what, words), words]);
    this.reset.hidden = !own.changed;
    const layouts: NodeListOf<HTMLButtonElement> = this.layouts.querySelectorAll("button");
    for (const button of layouts) {
      const chosen = button.dataset.layout === own.layout;
      button.setAttribute("aria-checked", String(chosen));
      button.tabIndex = chosen ? 0 : -1;
    }
    this.sounds.setAttribute("aria-pressed", String(this.cue.on));
    const fixed: [HTMLElement, string][] = this.fixed.map(([keys, words]) => [element("kbd", "", keys), words]);
    this.list.replaceChildren(...[...lines, ...fixed].map(lineOf));
  }

  buttonOf(what: string, words: string) {
    const button = element("button", "plain key", "");
    const key = this.own.keys.get(what);
    button.type = "button";
    button.dataset.what = what;
    button.setAttribute("aria-label", `${words}: ${key ? `key ${keyWords(key)}` : "no key"}; change it`);
    button.append(element("kbd", "", this.asking === what ? "press…" : (key && keyWords(key)) || "–"));
    return button;
  }

  ask(what: string) {
    this.asking = what;
    this.said.textContent = "Press the new key, or Esc to cancel.";
    this.draw();
    this.focus(what);
  }

  focus(what: string) {
    [...this.list.querySelectorAll("button")].find((button) => button.dataset.what === what)?.focus();
  }

  // A key while one is being chosen.
  choose(key: string) {
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

  // Tab stays in the list while it hides the rest.
  cycle(event: KeyboardEvent) {
    const all = [...this.box.querySelectorAll("button")].filter((button) => !button.hidden && button.tabIndex >= 0);
    const here = all.indexOf(focused(this.frame) as HTMLButtonElement);
    event.preventDefault();
    all[(here + (event.shiftKey ? -1 : 1) + all.length) % all.length].focus();
  }
}

function layoutButton([key, layout]: [string, KeyLayout]) {
  const button = element("button", "", layout.name);
  button.type = "button";
  button.dataset.layout = key;
  button.setAttribute("role", "radio");
  return button;
}

const HINT = "Click a key to change it. Saved in this browser, for this session.";

// How one answers here, in a sentence or two.
function howTo(task: Task, own: OwnKeys) {
  const moved = ACTIONS.filter((name) => own.keys.has(name) && own.keys.get(name) !== keysOf(name).key).map((name) => `${name === "outside" ? task.outside : name} “${keyWords(own.keys.get(name) ?? "–")}”`);
  const search = task.classes.length <= MANY ? "" : own.typed
    ? "Type the first letters of the name, of its words, or a part of it: the class marked is the one that Enter takes; ↓ marks the next. A name typed in full comes first."
    : "Press / and type a part of the name: the class marked is the one that Enter takes; a name typed in full comes first.";
  const letters = task.classes.some((name, place) => /^[a-z]$/i.test(name) && task.keys[place] === name.toLowerCase());
  return [kindOf(task).howTo(task, { letters, search, typed: own.typed }), (letters || own.typed) && moved.length ? `Other keys here: ${moved.join(", ")}.` : ""].join(" ").trim();
}

function lineOf([key, words]: [string | HTMLElement, string]) {
  const line = document.createElement("div");
  const term = document.createElement("dt");
  term.append(key);
  line.append(term, element("dd", "", words));
  return line;
}
