// A dialog that Ctrl K opens: letters find, arrows mark, Enter chooses, Esc closes. The server does what was chosen.

import { element, part, textField } from "../elements.ts";
import { PALETTE } from "../labeling_surface/key_table.ts";
import { mount } from "../mount.ts";
import { digitOf, fitting, moved, opens } from "./commands.ts";
import css from "./palette.css";

import type { Given, Tell } from "../mount.ts";
import type { Command } from "./commands.ts";


const MOST = 60; // lines; more letters find the others
const FIELDS = "input, textarea, select, [contenteditable]:not([contenteditable=false])";

class Palette {
  dialog: HTMLDialogElement;
  field: HTMLInputElement;
  list: HTMLElement;
  said: HTMLElement;
  onMac: boolean;
  commands: Command[];
  shown: Command[];
  place: number;
  tell: Tell;
  stopper: AbortController;

  constructor(root: ParentNode) {
    this.dialog = part(root, "dialog") as HTMLDialogElement;
    this.field = textField(root, "input");
    this.list = part(root, ".list");
    this.said = part(root, ".said");
    this.onMac = /mac/i.test(navigator.platform);
    this.commands = [];
    this.shown = [];
    this.place = 0;
    this.tell = () => {};
    this.stopper = new AbortController();
    const { signal } = this.stopper;
    document.addEventListener("keydown", (event) => this.pressed(event), { capture: true, signal });
    this.field.addEventListener("input", () => this.find(), { signal });
    this.dialog.addEventListener("keydown", (event) => this.keydown(event), { signal });
    this.dialog.addEventListener("click", (event) => this.clicked(event), { signal });
    this.dialog.dataset.ready = "yes"; // keys are taken from now on
    for (const name of ["keypress", "keyup"]) this.dialog.addEventListener(name, (event) => event.stopPropagation(), { signal });
  }

  deliver(commands: Command[], tell: Tell) {
    this.tell = tell;
    if (this.dialog.open && commands.length < this.commands.length) return; // the page was drawn again meanwhile
    this.commands = commands;
    if (this.dialog.open) this.find();
  }

  pressed(event: KeyboardEvent) {
    if (!this.dialog.isConnected || event.isComposing) return;
    if (opens(event, this.onMac)) {
      event.preventDefault(); // in some browsers the field of addresses
      event.stopPropagation();
      if (!event.repeat) this.toggle();
      return;
    }
    const digit = digitOf(event);
    const [target] = event.composedPath();
    if (!digit || event.repeat || this.dialog.open || (target instanceof Element && target.matches(FIELDS))) return;
    const command = this.commands.find((one) => one.digit === digit);
    if (!command) return;
    event.preventDefault();
    this.tell("chosen", command.id);
  }

  toggle() {
    if (this.dialog.open) {
      this.dialog.close();
      return;
    }
    this.field.value = "";
    this.dialog.showModal();
    this.field.focus();
    this.find();
    this.tell("opened", true);
  }

  find() {
    this.shown = fitting(this.commands, this.field.value).slice(0, MOST);
    this.place = 0;
    this.list.replaceChildren(...this.shown.map((command, place) => line(command, place)));
    const fit = this.shown.length === 1 ? " that fits" : " that fit";
    const more = this.field.value.trim() ? fit : "";
    this.said.textContent = this.shown.length ? `${this.shown.length}${more}. Arrows and Enter choose, Esc closes.` : "Nothing fits.";
    this.mark();
  }

  mark() {
    const lines = [...this.list.children] as HTMLElement[];
    lines.forEach((one, place) => one.setAttribute("aria-selected", String(place === this.place)));
    const marked = lines[this.place];
    marked?.scrollIntoView({ block: "nearest" });
    if (marked) this.field.setAttribute("aria-activedescendant", marked.id);
    else this.field.removeAttribute("aria-activedescendant");
  }

  keydown(event: KeyboardEvent) {
    event.stopPropagation(); // letters typed here are no keys of the page below
    if (event.isComposing) return;
    if (event.key === "Tab") event.preventDefault(); // the field is all there is to reach
    if (event.key === "Enter") {
      event.preventDefault();
      this.choose(this.shown[this.place]);
    }
    const place = this.shown.length ? moved(event.key, this.place, this.shown.length) : null;
    if (place === null) return;
    event.preventDefault();
    this.place = place;
    this.mark();
  }

  clicked(event: MouseEvent) {
    const target = event.target as Element;
    if (target === this.dialog) this.dialog.close(); // beside it
    const place = [...this.list.children].indexOf(target.closest("[role=option]") as Element);
    if (place >= 0) this.choose(this.shown[place]);
  }

  choose(command: Command | undefined) {
    if (!command) return;
    this.dialog.close();
    this.tell("chosen", command.id);
  }

  get closed() {
    return this.stopper.signal.aborted;
  }

  close() {
    this.stopper.abort();
    if (this.dialog.open) this.dialog.close();
  }
}

function line(command: Command, place: number) {
  const made = element("div");
  made.id = `command-${place}`;
  made.setAttribute("role", "option");
  made.append(element("span", "title", command.title));
  if (command.digit) made.append(element("kbd", "", `${PALETTE.pages} ${command.digit}`));
  made.append(element("span", "group", command.group));
  return made;
}

const MARKUP = {
  html: `<dialog class="palette" aria-label="Go to or do">
<input type="text" role="combobox" aria-expanded="true" aria-controls="commands" aria-autocomplete="list"
 aria-label="Go to or do" placeholder="Go to a page, a session, a demo, or do something" autocomplete="off" spellcheck="false"
 maxlength="200">
<div id="commands" class="list" role="listbox" aria-label="What fits"></div>
<p class="said" role="status" aria-live="polite"></p>
</dialog>`,
  css,
};

export default function ({ parentElement, data, setTriggerValue }: Given<{ commands: Command[] }>) {
  const make = (box: HTMLElement) => new Palette(box);
  return mount(parentElement, MARKUP, make, (palette) => palette.deliver(data.commands, setTriggerValue));
}
