// A row of grades for each criterion of one output; a key answers the row that is reached, and the last one stores them all.

import { clickedButton, element, part } from "../elements.ts";
import { CriteriaMarks, SKIPPED, gradeKey } from "./criteria_marks.ts";
import { Panel } from "./panel.ts";

import type { Answer, Content, CriterionShown, Task } from "./types.ts";

const SKIP = "x";

export class CriteriaPanel extends Panel {
  frame: HTMLElement;
  seen: () => boolean;
  changed: () => void;
  rows: HTMLElement;
  criteria: CriterionShown[];
  marks: CriteriaMarks;

  /** @param seen whether the input has been on the screen long enough */
  constructor(frame: HTMLElement, signal: AbortSignal, seen: () => boolean, changed: () => void) {
    super();
    this.frame = frame;
    this.seen = seen;
    this.changed = changed;
    this.rows = part(frame, ".criteria");
    this.criteria = [];
    this.marks = new CriteriaMarks([]);
    this.rows.addEventListener("click", (event) => {
      const { criterion, place } = clickedButton(event)?.dataset ?? {};
      if (criterion !== undefined && seen()) this.act(() => this.marks.give(Number(criterion), Number(place)));
    }, { signal });
  }

  get on() {
    return this.criteria.length > 0;
  }

  get begun() {
    return this.marks.steps.length > 0;
  }

  get complete() {
    return this.marks.complete;
  }

  setTask(task: Task | null) {
    this.criteria = task?.criteria ?? [];
    this.rows.hidden = !this.on;
    this.rows.replaceChildren(...this.criteria.map((one, criterion) => this.rowOf(one, criterion)));
    this.show(undefined, null);
  }

  show(_content: Content | undefined, previous: Answer) {
    const before = Array.isArray(previous) ? previous.map(Number) : [];
    this.marks = new CriteriaMarks(this.criteria.map(({ grades }) => grades.length), before);
    if (this.on) this.draw();
  }

  act(work: () => void) {
    work();
    this.draw();
    this.changed();
  }

  answer(): Answer | undefined {
    return this.marks.answer();
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
    if (key === SKIP) return () => this.act(() => marks.give(marks.at, SKIPPED));
    if (key === "ArrowDown") return () => this.act(() => marks.choose(1));
    if (key === "ArrowUp") return () => this.act(() => marks.choose(-1));
    const { grades } = this.criteria[marks.at];
    const place = grades.findIndex((_, one) => gradeKey(grades, one) === key);
    return place < 0 ? null : () => this.act(() => marks.give(marks.at, place));
  }

  keys(): [string, string][] {
    if (!this.on) return [];
    return [
      ["0–9", "the grade by the criterion reached"],
      [SKIP, "skip this criterion"],
      ["↑ ↓", "the criterion before, the next one"],
    ];
  }

  // What storing the answer says.
  get words() {
    const open = this.marks.open.map((criterion) => this.criteria[criterion].name);
    return open.length ? `Still open: ${open.join(", ")}` : "Save";
  }

  draw() {
    const { marks } = this;
    for (const [criterion, row] of ([...this.rows.children] as HTMLElement[]).entries()) {
      const reached = criterion === marks.at;
      row.classList.toggle("reached", reached);
      row.classList.toggle("given", marks.places[criterion] !== null);
      for (const button of row.querySelectorAll<HTMLButtonElement>("button")) {
        const on = marks.places[criterion] === Number(button.dataset.place);
        button.classList.toggle("chosen", on);
        button.setAttribute("aria-checked", String(on));
      }
    }
    part(this.frame, ".criterion-rubric").textContent = this.criteria[marks.at]?.rubric ?? "";
    part(this.frame, ".store-words").textContent = this.words;
  }

  rowOf({ name, grades }: CriterionShown, criterion: number) {
    const row = element("div", "criterion");
    row.setAttribute("role", "radiogroup");
    row.setAttribute("aria-label", name);
    row.append(element("span", "criterion-name", name));
    for (const [place, grade] of grades.entries()) row.append(this.buttonOf(grade, gradeKey(grades, place), criterion, place));
    row.append(this.buttonOf("skip", SKIP, criterion, SKIPPED));
    return row;
  }

  buttonOf(words: string, key: string, criterion: number, place: number) {
    const button = element("button", "grade");
    button.type = "button";
    Object.assign(button.dataset, { criterion: String(criterion), place: String(place) });
    button.setAttribute("role", "radio");
    button.classList.toggle("skipping", place === SKIPPED);
    if (key && key !== words) {
      const cap = element("kbd", "", key);
      cap.setAttribute("aria-hidden", "true");
      button.append(cap);
    }
    button.append(element("span", "name", words));
    return button;
  }
}
