// The ways to answer: one class, several classes, a number, or on the panel of a kind that has its own.

import { clickedButton, element, part, textField } from "../elements.ts";
import { KINDS, kindOf } from "./kinds.ts";
import { outsideWords } from "./outside.ts";
import { Panel } from "./panel.ts";
import { isFar } from "./standing.ts";
import { TypeAhead } from "./type_ahead.ts";
import { numberInFull, readNumber } from "./typed_number.ts";

import type { Answer, Kind, Task } from "./types.ts";

export const MANY = 20; // with more classes than this they can be searched

const GAP = 6; // pixels between two classes

/**
 * Columns in which so many classes stand in rows as even as can be: ten are five and five rather than six and four.
 *
 * @param width of all of them together, in pixels
 * @param least width of one
 */
export function evenColumns(count: number, width: number, least: number) {
  const most = Math.max(1, Math.floor((width + GAP) / (least + GAP)));
  return Math.ceil(count / Math.ceil(count / most));
}

const GRADE = 62; // pixels that a grade may shrink to before the scale is broken into rows; its name goes on in a second line

const NO_TASK: Task = { kind: "classification", classes: [], objects: [], order: [], keys: [], colors: [], accepts: null, swipes: null, actions: {}, no_class: "", outside: "", unit: "", criteria: [], faults: [], reasons: [], range: null, outcomes: ["", ""], usual: null };

// The key of a class, which those who listen get as its shortcut.
function keyCap(key: string) {
  const cap = element("kbd", "", key);
  cap.setAttribute("aria-hidden", "true");
  return cap;
}

export class Answers {
  frame: HTMLElement;
  panels: Map<string, Panel>;
  panel: Panel;
  give: (answer: Answer) => void;
  grid: HTMLElement;
  search: HTMLInputElement;
  foundWords: HTMLElement;
  ahead: TypeAhead;
  found: number[] | null;
  marked: number;
  filtered: string;
  number: HTMLElement;
  field: HTMLInputElement;
  refused: HTMLElement;
  far: HTMLElement;
  store: HTMLElement;
  task: Task;
  chosen: Set<number>;
  others: string[];
  least: number;

  /**
   * @param seen whether the input has been on the screen long enough
   * @param changed called when something was marked on a panel
   */
  constructor(
    frame: HTMLElement,
    signal: AbortSignal,
    give: (answer: Answer) => void,
    seen: () => boolean,
    changed: () => void,
  ) {
    this.frame = frame;
    const panelOf = ({ Panel: Own = Panel }: Kind) => new Own(frame, signal, seen, changed);
    this.panels = new Map(Object.entries(KINDS).map(([name, kind]) => [name, panelOf(kind)]));
    this.panel = new Panel(); // of the task's kind
    this.give = give; // called with the answer
    this.grid = part(frame, ".classes");
    this.search = textField(frame, ".search");
    this.foundWords = part(frame, ".found");
    this.ahead = new TypeAhead([], []);
    this.found = null; // the classes that fit what is typed, the best first; null while nothing is
    this.marked = 0; // which of them Enter takes
    this.filtered = ""; // the typed text that these belong to
    this.number = part(frame, ".number");
    this.field = textField(frame, ".number-field");
    this.refused = part(frame, ".refused");
    this.far = part(frame, ".far");
    this.store = part(frame, ".store");
    this.task = NO_TASK;
    this.chosen = new Set();
    this.others = []; // names of members that are none of the classes
    this.store.addEventListener("click", () => this.storeAnswer(), { signal });
    this.number.addEventListener("submit", (event) => { event.preventDefault(); this.storeAnswer(); }, { signal });
    this.field.addEventListener("input", () => this.fieldChanged(), { signal });
    this.search.addEventListener("input", () => this.filter(), { signal });
    this.grid.addEventListener("click", (event) => {
      const button = clickedButton(event);
      if (button) this.take(Number(button.dataset.place));
    }, { signal });
    this.least = 0; // pixels that the longest name of a class needs
    const sizes = new ResizeObserver(() => this.layOut());
    sizes.observe(this.grid);
    signal.addEventListener("abort", () => sizes.disconnect());
  }

  layOut() {
    const { grid, least, task } = this;
    if (!grid.clientWidth || !task.classes.length) return;
    const columns = evenColumns(task.classes.length, grid.clientWidth, least);
    grid.style.gridTemplateColumns = task.classes.length > MANY ? "" : `repeat(${columns}, 1fr)`;
  }

  // True where the task is another one than before. typed: its classes are named by their first letters, not by keys.
  setTask(task: Task, typed: boolean) {
    if (JSON.stringify(task) === JSON.stringify(this.task)) return false;
    this.task = task;
    const { given, graded = false } = kindOf(task);
    this.number.hidden = given !== "number";
    this.store.hidden = given === "one";
    this.grid.hidden = given === "number" || given === "panel";
    this.panel.setTask(null);
    this.panel = this.panels.get(task.kind) ?? this.panel;
    this.panel.setTask(task);
    this.search.hidden = task.classes.length <= MANY;
    this.search.placeholder = typed ? "Type a class name, then Enter" : "Search the classes ( / )";
    this.ahead = new TypeAhead(task.classes, task.order);
    part(this.frame, ".unit").textContent = task.unit;
    this.field.placeholder = task.range ? `${task.range[0]} to ${task.range[1]}` : "number";
    const longest = Math.max(0, ...task.classes.map((name, place) => name.length + (this.keyIsName(place) ? 0 : 4)));
    const dense = task.classes.length > 10;
    this.least = Math.min(dense ? 132 : 180, Math.max(50, longest * 8 + 26));
    if (graded) this.least = Math.min(this.least, GRADE); // grades in two rows are no scale, and left is not left
    this.grid.classList.toggle("graded", graded);
    this.grid.setAttribute("aria-label", graded ? "Grades" : "Classes");
    this.grid.style.setProperty("--least", `${this.least}px`);
    this.grid.classList.toggle("dense", dense);
    this.grid.classList.toggle("many", task.classes.length > MANY);
    this.grid.replaceChildren(...task.order.map((place) => this.buttonOf(task.classes[place], place)));
    this.layOut();
    return true;
  }

  get buttons() {
    return [...this.grid.children] as HTMLButtonElement[];
  }

  keyIsName(place: number) {
    return this.task.keys[place] === this.task.classes[place].toLowerCase();
  }

  buttonOf(name: string, place: number) {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.place = String(place);
    const key = this.task.keys[place];
    if (key) button.setAttribute("aria-keyshortcuts", key);
    button.title = key ? `${name} (key ${key})` : name;
    const color = this.task.colors[place];
    if (color) {
      button.classList.add("colored");
      button.style.setProperty("--class-color", color);
    }
    if (this.keyIsName(place)) button.append(element("kbd", "own", name));
    else button.append(...(key ? [keyCap(key)] : []), element("span", "name", name));
    if (this.isSeveral) button.setAttribute("aria-pressed", "false");
    return button;
  }

  // A new input: nothing chosen, or what was answered before.
  show(previous: Answer) {
    const several = this.isSeveral;
    const members = several && Array.isArray(previous) ? previous : [];
    this.chosen = new Set(members.filter((one) => typeof one === "number"));
    this.others = members.filter((one) => typeof one === "string");
    this.field.value = this.isNumber && typeof previous === "number" ? String(previous) : "";
    this.fieldChanged();
    if (this.field.value) { // what is typed replaces it
      this.field.focus({ preventScroll: true });
      this.field.select();
    }
    if (this.search.value) this.clearSearch();
    for (const button of this.buttons) {
      const place = Number(button.dataset.place);
      const on = several ? this.chosen.has(place) : previous === place;
      button.classList.toggle("chosen", on);
      if (several) button.setAttribute("aria-pressed", String(on));
    }
    this.nameStore();
  }

  nameStore() {
    if (kindOf(this.task).given === "panel") return; // which says what is stored
    const size = this.chosen.size + this.others.length;
    const words = !this.isSeveral ? "Save" : size ? `Save ${size}` : `Save “${this.task.no_class}”`;
    part(this.frame, ".store-words").textContent = words;
    const named = this.others.filter(Boolean).join(", ");
    part(this.frame, ".outside-words").textContent = outsideWords(named, this.task);
    const button = part(this.frame, ".actions [data-act=outside]");
    button.classList.toggle("chosen", this.others.length > 0);
    if (this.isSeveral) button.setAttribute("aria-pressed", String(this.others.length > 0));
    else button.removeAttribute("aria-pressed");
  }

  // One class chosen: the answer, or one more of several.
  take(place: number) {
    if (!this.isSeveral) {
      this.give(place);
      return;
    }
    const on = !this.chosen.has(place);
    if (on) this.chosen.add(place);
    else this.chosen.delete(place);
    const button = this.buttons[this.task.order.indexOf(place)];
    button.classList.toggle("chosen", on);
    button.setAttribute("aria-pressed", String(on));
    this.nameStore();
  }

  // What is none of the classes: the answer, or one more member of several; "" without a name.
  takeOutside(name: string) {
    if (!this.isSeveral) {
      this.give(name);
      return;
    }
    this.others = [...new Set([...this.others, name])];
    this.nameStore();
  }

  leaveOutside() {
    this.others = [];
    this.nameStore();
  }

  storeAnswer() {
    if (kindOf(this.task).given === "panel") {
      const answer = this.panel.unseen ? undefined : this.panel.answer();
      if (answer !== undefined) this.give(answer);
      return;
    }
    if (this.isSeveral) {
      this.give([...[...this.chosen].sort((a, b) => a - b), ...this.others]);
      return;
    }
    const read = this.readField();
    if (read.refusal === undefined) {
      this.give(read.value);
      return;
    }
    this.refuse(read.refusal);
    this.field.focus({ preventScroll: true });
  }

  // The number in the field as {value}, or why it is no answer as {refusal}.
  readField(): { value: number, refusal?: undefined } | { value?: undefined, refusal: string } {
    const read = readNumber(this.field.value);
    const [least, most] = this.task.range ?? [-Infinity, Infinity];
    if (read.refusal !== undefined || (read.value >= least && read.value <= most)) return read;
    return { refusal: `Expected a number from ${least} to ${most}, got ${read.value}. Type one of these.` };
  }

  // Whether the field holds something: then every key belongs to it.
  get typing() {
    return this.isNumber && this.field.value !== "";
  }

  // A refusal is about what was typed before; the cue about what is typed now.
  fieldChanged() {
    this.refuse("");
    const { value } = this.field.value ? this.readField() : {};
    const far = value !== undefined && isFar(value, this.task);
    this.far.textContent = far ? `${numberInFull(value, this.task.unit)} is far from all predictions: a slip?` : "";
  }

  // Why what is typed is no answer.
  refuse(words: string) {
    if (words) this.field.setAttribute("aria-invalid", "true");
    else this.field.removeAttribute("aria-invalid");
    this.refused.textContent = words;
  }

  filter() {
    const { value } = this.search;
    this.filtered = value;
    this.found = value.trim() ? this.ahead.find(value) : null;
    this.mark(0);
  }

  /**
   * Marks one of the classes that fit: the one that Enter takes.
   *
   * @param which counted round
   */
  mark(which: number) {
    const { found, task } = this;
    this.marked = found?.length ? (which + found.length) % found.length : 0;
    const fitting = new Map(found?.map((place, rank) => [place, rank]));
    for (const button of this.buttons) {
      const place = Number(button.dataset.place);
      button.hidden = found !== null && !fitting.has(place);
      button.style.order = String(fitting.get(place) ?? ""); // the best first
      button.classList.toggle("searched", place === found?.[this.marked]);
    }
    this.foundWords.textContent = found === null ? "" : found.length ? `${task.classes[found[this.marked]]}, 1 of ${found.length}` : "no class";
  }

  // Takes the class that is marked; false where there is none.
  takeFound() {
    if (this.filtered !== this.search.value) this.filter();
    const { found } = this;
    if (found?.length === 0) return false;
    const place = found?.[this.marked];
    this.clearSearch();
    if (place !== undefined) this.take(place);
    return true;
  }

  clearSearch() {
    this.search.value = "";
    this.filter();
  }

  placeOfKey(key: string) {
    return key === "" ? -1 : this.task.keys.indexOf(key);
  }

  get isNumber() {
    return kindOf(this.task).given === "number";
  }

  get isSeveral() {
    return kindOf(this.task).given === "several";
  }
}
