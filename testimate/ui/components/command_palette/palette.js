// A dialog that Ctrl K opens: letters find, arrows mark, Enter chooses, Esc closes. The server does what was chosen.

import { element, part, textField } from "../elements.js";
import { digitOf, fitting, moved, opens } from "./commands.js";

/** @import { Command } from "./commands.js" */
/** @typedef {(name: string, value: unknown) => void} Tell */

const MOST = 60; // lines; more letters find the others
const FIELDS = "input, textarea, select, [contenteditable]:not([contenteditable=false])";

class Palette {
  /** @param {ParentNode} root */
  constructor(root) {
    this.dialog = /** @type {HTMLDialogElement} */ (part(root, "dialog"));
    this.field = textField(root, "input");
    this.list = part(root, ".list");
    this.said = part(root, ".said");
    this.onMac = /mac/i.test(navigator.platform);
    /** @type {Command[]} */
    this.commands = [];
    /** @type {Command[]} */
    this.shown = [];
    this.place = 0;
    this.turn = 0; // deliveries until now
    /** @type {Tell} */
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

  /**
   * @param {Command[]} commands
   * @param {Tell} tell
   */
  deliver(commands, tell) {
    this.tell = tell;
    if (this.dialog.open && commands.length < this.commands.length) return; // the page was drawn again meanwhile
    this.commands = commands;
    if (this.dialog.open) this.find();
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
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
    const lines = /** @type {HTMLElement[]} */ ([...this.list.children]);
    lines.forEach((one, place) => one.setAttribute("aria-selected", String(place === this.place)));
    const marked = lines[this.place];
    marked?.scrollIntoView({ block: "nearest" });
    if (marked) this.field.setAttribute("aria-activedescendant", marked.id);
    else this.field.removeAttribute("aria-activedescendant");
  }

  /** @param {KeyboardEvent} event */
  keydown(event) {
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

  /** @param {MouseEvent} event */
  clicked(event) {
    const target = /** @type {Element} */ (event.target);
    if (target === this.dialog) this.dialog.close(); // beside it
    const place = [...this.list.children].indexOf(/** @type {Element} */ (target.closest("[role=option]")));
    if (place >= 0) this.choose(this.shown[place]);
  }

  /** @param {Command | undefined} command */
  choose(command) {
    if (!command) return;
    this.dialog.close();
    this.tell("chosen", command.id);
  }

  close() {
    this.stopper.abort();
    if (this.dialog.open) this.dialog.close();
  }
}

/**
 * @param {Command} command
 * @param {number} place
 */
function line(command, place) {
  const made = element("div");
  made.id = `command-${place}`;
  made.setAttribute("role", "option");
  made.append(element("span", "title", command.title));
  if (command.digit) made.append(element("kbd", "", `Alt Shift ${command.digit}`));
  made.append(element("span", "group", command.group));
  return made;
}

/** @type {WeakMap<ParentNode, Palette>} */
const PALETTES = new WeakMap(); // by shadow root: Streamlit calls the module again with every delivery

/** @param {{ parentElement: ParentNode, data: { commands: Command[] }, setTriggerValue: Tell }} given */
export default function ({ parentElement: root, data, setTriggerValue }) {
  let palette = PALETTES.get(root);
  if (!palette || palette.stopper.signal.aborted) {
    palette = new Palette(root);
    PALETTES.set(root, palette);
  }
  const kept = palette;
  kept.deliver(data.commands, setTriggerValue);
  kept.turn += 1;
  const { turn } = kept;
  // Streamlit also cleans up after a delivery that a newer one overtook: only the newest delivery may end it
  return () => setTimeout(() => { if (turn === kept.turn) kept.close(); }, 50);
}
