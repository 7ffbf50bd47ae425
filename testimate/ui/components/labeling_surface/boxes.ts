// A detector's boxes over the picture, each right until it is marked wrong, and the counts of the objects it missed.

import { clickedButton, element, focused, part } from "../elements.ts";
import { BoxMarks } from "./box_marks.ts";
import { Panel } from "./panel.ts";

import type { Answer, BoxShown, Content, Task } from "./types.ts";

const CROWDED = 30; // with more boxes, names would hide the picture: only those reached, wrong or pointed at have theirs
const BY_KEY = 9; // boxes that have a number key, whose number has to be seen
const FEW = 12; // with more classes than this, only those that were counted stand on the screen

// The picture with a button over it for each box, the smaller ones in front.
export function boxedPicture(image: HTMLImageElement, boxes: BoxShown[]) {
  const picture = element("div", "boxed-picture");
  picture.classList.toggle("crowded", boxes.length > CROWDED);
  picture.append(image);
  const areas = boxes.map((box) => box.width * box.height);
  const order = boxes.map((_, place) => place).sort((one, other) => areas[other] - areas[one]);
  for (const place of order) {
    const { name, left, top, width, height } = boxes[place];
    const button = element("button", "box");
    button.type = "button";
    button.dataset.box = String(place);
    button.dataset.name = name;
    button.classList.toggle("low", top < 0.06);
    button.classList.toggle("keyed", place < BY_KEY);
    for (const [side, share] of Object.entries({ left, top, width, height })) button.style.setProperty(side, `${100 * share}%`);
    button.append(element("span", "box-tag", `${place + 1} ${name}`));
    picture.append(button);
  }
  return picture;
}

export class BoxPanel extends Panel {
  frame: HTMLElement;
  changed: () => void;
  panel: HTMLElement;
  said: HTMLElement;
  rows: HTMLElement;
  more: HTMLSelectElement;
  marks: BoxMarks;
  objects: string[];
  picture: HTMLElement | null;

  /** @param seen whether the input has been on the screen long enough */
  constructor(frame: HTMLElement, signal: AbortSignal, seen: () => boolean, changed: () => void) {
    super();
    this.frame = frame;
    this.changed = changed;
    this.panel = part(frame, ".boxed");
    this.said = part(frame, ".boxed-words");
    this.rows = part(frame, ".missed");
    this.more = part(frame, ".missed-more") as HTMLSelectElement;
    this.marks = new BoxMarks(0, 1);
    this.objects = [];
    this.picture = null;
    part(frame, ".stage").addEventListener("click", (event) => {
      const button = clickedButton(event, ".box");
      if (button && seen()) this.act(() => this.marks.turn(Number(button.dataset.box)));
    }, { signal });
    this.rows.addEventListener("click", (event) => {
      const button = clickedButton(event);
      const kind = Number(button?.dataset.kind);
      if (button && seen()) this.act(() => this.marks.count(kind, this.marks.missed[kind] + Number(button.dataset.by)));
    }, { signal });
    this.rows.addEventListener("change", (event) => this.typed(event.target as HTMLInputElement), { signal });
    this.more.addEventListener("change", () => {
      const kind = Number(this.more.value);
      this.more.value = "";
      this.act(() => this.marks.count(kind, this.marks.missed[kind] + 1));
    }, { signal });
  }

  get on() {
    return this.objects.length > 0;
  }

  get begun() {
    return this.marks.steps.length > 0;
  }

  setTask(task: Task | null) {
    const objects = task?.objects ?? [];
    this.objects = objects;
    this.panel.hidden = objects.length === 0;
    this.more.hidden = objects.length <= FEW;
    const names = objects.map((name, kind) => Object.assign(element("option", "", name), { value: String(kind) }));
    this.more.replaceChildren(Object.assign(element("option", "", "missed another …"), { value: "" }), ...names);
    this.show(undefined, null);
  }

  show(content: Content | undefined, previous: Answer) {
    if (!this.on) return;
    this.picture = content?.overlay ?? null;
    this.unseen = content !== undefined && (this.picture === null || content.broken === true);
    const before = Array.isArray(previous) ? previous.map(Number) : [];
    this.marks = new BoxMarks(content?.boxes?.length ?? 0, this.objects.length, before);
    this.draw();
  }

  act(work: () => void) {
    work();
    this.draw();
    this.changed();
  }

  typed(field: HTMLInputElement) {
    const given = field.value.trim();
    const taken = this.marks.count(Number(field.dataset.kind), given === "" ? 0 : Number(given));
    this.draw();
    if (!taken) this.said.textContent = `Expected a whole number from 0 to 1000, got ${given}. Type how many were missed.`;
    this.changed();
    return taken;
  }

  answer() {
    return this.marks.answer();
  }

  holds(field: EventTarget) {
    return this.on && field === this.counting;
  }

  // The field of a count that has the focus, or null.
  get counting() {
    const field = focused(this.frame);
    return field?.classList.contains("missed-count") ? (field as HTMLInputElement) : null;
  }

  leaveField() {
    const field = this.counting;
    const taken = field === null || this.typed(field);
    if (taken) field?.blur();
    return taken;
  }

  back() {
    if (!this.on || !this.marks.back()) return false;
    this.draw();
    this.changed();
    return true;
  }

  workOf(key: string): (() => void) | null {
    if (!this.on) return null;
    const { marks } = this;
    if (/^[1-9]$/.test(key) && Number(key) <= marks.boxes) return () => this.act(() => marks.turn(Number(key) - 1));
    const works: Record<string, () => void> = {
      ArrowRight: () => marks.move(1),
      ArrowLeft: () => marks.move(-1),
      ArrowDown: () => marks.choose(1),
      ArrowUp: () => marks.choose(-1),
      w: () => marks.turn(marks.at),
      "+": () => { marks.count(marks.kind, marks.missed[marks.kind] + 1); },
      "=": () => { marks.count(marks.kind, marks.missed[marks.kind] + 1); },
      "-": () => { marks.count(marks.kind, marks.missed[marks.kind] - 1); },
    };
    return Object.hasOwn(works, key) ? () => this.act(works[key]) : null;
  }

  keys(): [string, string][] {
    if (!this.on) return [];
    return [
      ["1–9", "the box of that number: wrong, or right again"],
      ["← →", "the box before, the next one"],
      ["w", "the box reached: wrong, or right again"],
      ["+ −", "one more missed, one fewer"],
      ...(this.objects.length > 1 ? ([["↑ ↓", "which class + and − count"]] as [string, string][]) : []),
    ];
  }

  // What storing the answer says.
  get words() {
    const { marks } = this;
    const lost = marks.missed.reduce((sum, count) => sum + count, 0);
    const found = [marks.wrong.size ? `${marks.wrong.size} wrong` : "", lost ? `${lost} missed` : ""].filter(Boolean).join(", ");
    if (found) return `Save: ${found}`;
    return marks.boxes ? `Save: ${marks.boxes === 1 ? "right" : `all ${marks.boxes} right`}` : "Save: nothing missed";
  }

  draw() {
    const { marks, objects } = this;
    const buttons = [...this.picture?.querySelectorAll<HTMLButtonElement>(".box") ?? []];
    for (const button of buttons) {
      const place = Number(button.dataset.box);
      const wrong = marks.wrong.has(place);
      button.classList.toggle("wrong", wrong);
      button.classList.toggle("reached", place === marks.at);
      button.setAttribute("aria-pressed", String(wrong));
      button.setAttribute("aria-label", `box ${place + 1}, ${button.dataset.name}: ${wrong ? "wrong" : "right"}`);
      if (place === marks.at) {
        const state = wrong ? "wrong" : "right";
        this.said.textContent = `Box ${place + 1} of ${marks.boxes}: ${button.dataset.name}, ${state}. Missed:`;
      }
    }
    if (!buttons.length) this.said.textContent = "No box. Missed:";
    if (this.unseen) this.said.textContent = "This picture can't be shown. Answer “can't tell”.";
    const shown = objects.flatMap((_, kind) => (objects.length <= FEW || marks.missed[kind] ? [kind] : []));
    if (this.rows.dataset.shown !== shown.join() || this.rows.dataset.objects !== objects.join("\n")) {
      this.rows.dataset.shown = shown.join();
      this.rows.dataset.objects = objects.join("\n");
      this.rows.replaceChildren(...shown.map((kind) => this.rowOf(kind)));
    }
    for (const row of (this.rows.querySelectorAll(".missed-class") as NodeListOf<HTMLElement>)) {
      const kind = Number(row.dataset.kind);
      row.classList.toggle("counted", kind === marks.kind);
      row.classList.toggle("some", marks.missed[kind] > 0);
      const field = part(row, ".missed-count") as HTMLInputElement;
      field.value = String(marks.missed[kind]);
    }
    part(this.frame, ".store-words").textContent = this.words;
  }

  rowOf(kind: number) {
    const row = element("span", "missed-class");
    row.dataset.kind = String(kind);
    const field = Object.assign(element("input", "missed-count"), { type: "text", inputMode: "numeric", autocomplete: "off" });
    field.dataset.kind = String(kind);
    field.setAttribute("aria-label", `${this.objects[kind]} missed`);
    row.append(this.stepOf(kind, -1, "−"), field, this.stepOf(kind, 1, "+"), element("span", "missed-name", this.objects[kind]));
    return row;
  }

  stepOf(kind: number, by: number, sign: string) {
    const button = element("button", "plain step", sign);
    button.type = "button";
    Object.assign(button.dataset, { kind: String(kind), by: String(by) });
    button.setAttribute("aria-label", `${this.objects[kind]}: one ${by > 0 ? "more" : "fewer"} missed`);
    return button;
  }
}
