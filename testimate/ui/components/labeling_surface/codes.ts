// Why the last failure failed, as codes: by Shift and a letter while the next input is on the screen, or as a new name.

import { clickedButton, element, numbered, part, textField } from "../elements.ts";
import { completed, folded, plain } from "./outside.ts";

import type { Outbox } from "./outbox.ts";
import type { Answer, StripEntry, Task, View } from "./types.ts";

export const MOST_OF_ONE = 20; // codes of an input: core/failure_codes.py
const SEPARATOR = ";";

/** @returns whether an answer is a failure as far as the page knows; null where only the server does */
export function failsHere(answer: Answer, { criteria, faults }: Task): boolean | null {
  if (Array.isArray(answer) && criteria.length) {
    const open = answer.length < criteria.length || answer.some((place) => Number(place) < 0);
    return !open && answer.some((place, one) => criteria[one].faults.includes(Number(place)));
  }
  return typeof answer === "number" && faults.length ? faults.includes(answer) : null;
}

/** @returns the codes of an input, as Python knows them or as they were given here since */
export function codesOf(row: number, view: View, outbox: Outbox): string[] {
  const here = outbox.events.filter((event) => event.kind === "codes" && event.row === row).at(-1);
  return here?.codes ?? view.history.find((past) => past.row === row)?.codes ?? [];
}

/** @returns every code there is, by the name it has, the first one given in front */
export function knownCodes(view: View, outbox: Outbox): string[] {
  const known = new Map((view.codes ?? []).map((name) => [folded(name), name]));
  const here = outbox.events.flatMap(({ codes = [] }) => codes);
  for (const name of here) if (!known.has(folded(name))) known.set(folded(name), name);
  return [...known.values()];
}

/** @returns the codes with the one taken out or, where it is not among them, put in */
export function turned(codes: string[], name: string): string[] {
  const without = codes.filter((one) => folded(one) !== folded(name));
  return without.length < codes.length ? without : [...codes, name];
}

/** @returns the codes with those that are typed, in the spelling that is known */
export function withTyped(codes: string[], typed: string, known: string[]): string[] {
  const names = typed.split(SEPARATOR).map(plain).filter(Boolean);
  const meant = names.map((name) => known.find((one) => folded(one) === folded(name)) ?? name);
  return meant.reduce((all, name) => (all.some((one) => folded(one) === folded(name)) ? all : [...all, name]), codes);
}

// The letter of each code, one of its own where that is free; it stays the same while the page is open.
export class Letters {
  given: Map<string, string>; // folded name -> letter

  constructor() {
    this.given = new Map();
  }

  of(name: string): string {
    const key = folded(name);
    const own = this.given.get(key);
    if (own !== undefined) return own;
    const used = new Set(this.given.values());
    const letter = [...key.toUpperCase(), ..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"].find((one) => /^[A-Z]$/.test(one) && !used.has(one)) ?? "";
    if (letter) this.given.set(key, letter);
    return letter;
  }

  named(letter: string, names: string[]): string | undefined {
    return names.find((name) => this.given.get(folded(name)) === letter);
  }
}

export class Codes {
  box: HTMLElement;
  words: HTMLElement;
  list: HTMLElement;
  form: HTMLElement;
  field: HTMLInputElement;
  letters: Letters;
  names: string[];
  row: number | null;
  drawn: string;

  /**
   * @param turn call with a code that is to be given, or taken away where the input has it
   * @param type call with what was typed
   */
  constructor(frame: HTMLElement, signal: AbortSignal, turn: (name: string) => void, type: (typed: string) => void) {
    this.box = part(frame, ".codes");
    this.words = part(frame, ".codes-words");
    this.list = part(frame, ".codes-names");
    this.form = part(frame, ".failure-code");
    this.field = textField(frame, ".code-field");
    this.letters = new Letters();
    this.names = [];
    this.row = null; // the input whose codes are being typed
    this.drawn = "";
    part(frame, ".code-close").addEventListener("click", () => this.close(), { signal });
    this.field.addEventListener("input", (event) => { completed(this.field, event as InputEvent, this.names); }, { signal });
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      const typed = this.field.value;
      this.field.value = "";
      if (plain(typed)) type(typed);
      else this.close();
    }, { signal });
    this.list.addEventListener("click", (event) => {
      const name = clickedButton(event)?.dataset.name;
      if (name !== undefined) turn(name);
    }, { signal });
  }

  // Another session: its own letters.
  begin() {
    this.letters = new Letters();
    this.close();
  }

  set offered(on: boolean) {
    this.box.hidden = !on;
  }

  open(row: number, words: string) {
    this.row = row;
    this.form.hidden = false;
    this.field.value = "";
    this.field.placeholder = words;
    this.field.focus({ preventScroll: true });
  }

  close() {
    this.row = null;
    this.form.hidden = true;
    this.field.blur();
  }

  /**
   * @param fault the failure that is asked about, with its codes; null where there is none: its place stays
   * @param keyed whether letters are keys here, and not typed to name a class
   */
  draw(fault: { entry: StripEntry, codes: string[] } | null, names: string[], keyed: boolean) {
    this.names = names;
    const looks = JSON.stringify([fault && [fault.entry.row, fault.entry.label, fault.codes], names, keyed]);
    if (this.drawn === looks) return;
    this.drawn = looks;
    this.box.classList.toggle("none", fault === null);
    this.words.textContent = fault ? `Why did input ${numbered(fault.entry.row)} fail (${fault.entry.label})?` : "";
    const has = new Set((fault?.codes ?? []).map(folded));
    this.list.replaceChildren(...(fault ? names : []).map((name) => buttonOf(name, has.has(folded(name)), keyed ? this.letters.of(name) : "")));
  }
}

function buttonOf(name: string, on: boolean, letter: string) {
  const button = element("button", on ? "chosen" : "");
  button.type = "button";
  button.dataset.name = name;
  button.setAttribute("aria-pressed", String(on));
  if (letter) {
    const cap = element("kbd", "", `⇧${letter}`);
    cap.setAttribute("aria-hidden", "true");
    button.setAttribute("aria-keyshortcuts", `Shift+${letter}`);
    button.append(cap);
  }
  button.append(element("span", "name", name));
  return button;
}
