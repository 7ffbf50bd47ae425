// What is none of the classes: an answer with a name if the tester gives one, and the names given before to choose from.

import { clickedButton, element, part, textField } from "../elements.ts";

import type { Task } from "./types.ts";

const MOST_SHOWN = 8; // names that stand beside the field

export const plain = (name: string) => name.normalize("NFC").trim().replace(/\s+/g, " ");

// A name without the case, the spaces and the forms of letters that do not tell names apart: core/spellings.py.
export const folded = (name: string) => plain(name).normalize("NFKC").toLowerCase().replace(/(?<=[\p{L}\p{N}])[\s_-]+(?=[\p{L}\p{N}])/gu, " ");

/** @returns what an answer that is none of the classes is called */
export const outsideWords = (name: string, { outside }: Task) => name ? `${outside}: ${name}` : outside;

/** @returns the place of the class that a name spells, or -1 */
export function placeSpelled(name: string, { classes }: Task) {
  const same = classes.indexOf(plain(name));
  return same >= 0 || !plain(name) ? same : classes.findIndex((one) => folded(one) === folded(name));
}

/** @returns the name as it was given before, or as it is typed */
export function nameMeant(typed: string, names: string[]) {
  return names.find((name) => folded(name) === folded(typed)) ?? plain(typed);
}

/** @returns the names that begin with what is typed; all where nothing is */
export function namesFor(typed: string, names: string[]) {
  return names.filter((name) => folded(name).startsWith(folded(typed)));
}

// What is typed is completed to a name given before, so that the field shows what Enter stores; deleting leaves it as typed.
export function completed(field: HTMLInputElement, event: InputEvent, names: string[]) {
  const typed = field.value;
  const [first] = typed.trim() ? namesFor(typed, names) : [];
  const adds = event.inputType?.startsWith("insert") && !event.isComposing && field.selectionEnd === typed.length;
  if (!adds || !first?.toLowerCase().startsWith(typed.toLowerCase())) return;
  field.value = typed + first.slice(typed.length);
  field.setSelectionRange(typed.length, first.length);
}

export class Outside {
  form: HTMLElement;
  field: HTMLInputElement;
  offered: HTMLElement;
  names: string[];
  given: string[];
  row: number | null;

  // give: call with the row it was opened on and the name, "" for none.
  constructor(frame: HTMLElement, signal: AbortSignal, give: (row: number, name: string) => void) {
    this.form = part(frame, ".outside");
    this.field = textField(frame, ".outside-field");
    this.offered = part(frame, ".outside-names");
    this.names = []; // given before, the commonest first
    this.given = []; // here, and not known to Python yet
    this.row = null;
    const store = (name: string) => {
      if (this.row === null) return;
      const meant = nameMeant(name, this.known);
      if (meant && !this.known.includes(meant)) this.given.push(meant);
      give(this.row, meant);
    };
    part(frame, ".outside-close").addEventListener("click", () => this.close(), { signal });
    this.field.addEventListener("input", (event) => this.typed(event as InputEvent), { signal });
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      store(this.field.value);
    }, { signal });
    this.offered.addEventListener("click", (event) => {
      const name = clickedButton(event)?.dataset.name;
      if (name !== undefined) store(name);
    }, { signal });
  }

  get known() {
    return [...this.names, ...this.given.filter((name) => !this.names.includes(name))];
  }

  typed(event: InputEvent) {
    const typed = this.field.value;
    completed(this.field, event, this.known);
    this.offer(typed);
  }

  offer(typed: string) {
    this.offered.replaceChildren(...namesFor(typed, this.known).slice(0, MOST_SHOWN).map((name) => {
      const button = element("button", "", name);
      button.type = "button";
      button.dataset.name = name;
      return button;
    }));
  }

  open(row: number, name: string, words: string) {
    this.row = row;
    this.form.hidden = false;
    this.field.value = name;
    this.field.placeholder = `${words}: what is it? Optional`;
    this.field.setAttribute("aria-label", `${words}: its name, optional`);
    this.offer("");
    this.field.focus({ preventScroll: true });
    this.field.select();
  }

  close() {
    this.row = null;
    this.form.hidden = true;
    this.field.blur();
  }
}
