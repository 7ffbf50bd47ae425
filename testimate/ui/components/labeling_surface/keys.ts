// What a key means here, and when a key belongs to something else on the page.

import { clickedButton, part } from "../elements.ts";
import { KeyList } from "./key_list.ts";
import { STREAMLITS, fixedLine, isFor, keyWords, keysOf } from "./key_table.ts";
import { kindOf } from "./kinds.ts";

import type { Surface } from "./surface.ts";

const FIELDS = "input:not([type=button]):not([type=checkbox]):not([type=radio]):not([type=submit]), textarea, select, "
  + "[contenteditable]:not([contenteditable=false])";
const OTHERS = "[role=textbox], [role=combobox], [role=searchbox], [role=spinbutton], [role=listbox], [role=menu], "
  + "[role=grid], [role=dialog], dialog"; // outside the surface, where letters have a meaning of their own
const PRESSED = "button, audio, a[href], summary, input, label, [role=button], [role=checkbox], [role=switch], [role=tab], "
  + "[role=radio]"; // what space or Enter presses

function matchesAny(path: EventTarget[], selector: string) {
  return path.some((node) => node instanceof Element && node.matches(selector));
}

// The key as the surface names it: digits and letters by what is printed on them, whatever the layout.
export function keyOf(event: KeyboardEvent): string {
  const { key, code, shiftKey } = event;
  if (/^[0-9]$/.test(key)) return key;
  if (/^Numpad[0-9]$/.test(code)) return code.slice(6); // whatever the number lock says
  if (!shiftKey && /^Digit[0-9]$/.test(code)) return code.slice(5); // digits that a layout puts behind shift
  if (key.length > 1 || key === "?" || key === "+") return key;
  if (shiftKey) return "";
  if (/^Key[A-Z]$/.test(code) && !/^[\x00-\x7f]$/.test(key)) return code.slice(3).toLowerCase(); // not a Latin layout
  return key.toLowerCase();
}

const STARTS_NUMBER = /^[-.,0-9\u2010-\u2014\u2212\ufe63\uff0c-\uff0e\uff10-\uff19]$/;

// Whether an input method takes the key: while it composes, and with the key that ends this, which some browsers report
// late.
export function isForInputMethod(event: KeyboardEvent) {
  return event.isComposing || event.key === "Process" || event.keyCode === 229;
}

// The keys whose meaning is fixed, with what they do, for the list behind "?".
function fixedKeys(surface: Surface, fitKey: string): [string, string][] {
  const { answers, own, stage, view } = surface;
  const lines = [];
  if (kindOf(view.task).given === "number") lines.push(fixedLine("number"));
  lines.push(...answers.panel.keys());
  if (!answers.store.hidden) lines.push(fixedLine("store"));
  if (own.typed) lines.push(fixedLine("name"));
  else if (view.codes) lines.push(fixedLine("code"));
  if (!answers.search.hidden) lines.push(fixedLine("search"));
  if (stage.sound) lines.push(playLine(view.task.actions.play));
  if (!answers.panel.workOf("+")) lines.push(fixedLine("zoom in"), fixedLine("zoom out"), fixedLine("fit", fitKey));
  return [...lines, fixedLine("list"), fixedLine("leave")];
}

function playLine(key: string): [string, string] {
  return [keyWords(key), keysOf("play").words];
}

// The letter that is pressed with Shift, by what is printed on the key; "" for any other key. Nothing else has these keys.
export function shiftedLetter(event: KeyboardEvent): string {
  if (!event.shiftKey) return "";
  if (/^[a-z]$/i.test(event.key)) return event.key.toUpperCase();
  return /^Key[A-Z]$/.test(event.code) && !/^[\x00-\x7f]$/.test(event.key) ? event.code.slice(3) : "";
}

// What each key does; listens on the whole page while the surface is on it, on a shared page to keys pressed inside it.
export class Keyboard {
  surface: Surface;
  frame: HTMLElement;
  list: KeyList;
  pressedOn: number | null | undefined;
  acted: string | null | undefined;

  constructor(surface: Surface, signal: AbortSignal) {
    this.surface = surface;
    this.frame = surface.frame;
    this.list = new KeyList(this.frame, signal, surface.cue, () => surface.keysSet());
    const click = (name: string, open: boolean) => {
      part(this.frame, name).addEventListener("click", () => this.showHelp(open), { signal });
    };
    click(".help-open", true);
    click(".help-close", false);
    document.addEventListener("keydown", (event) => this.keydown(event), { capture: true, signal });
    // a click must not leave the focus on a button, or the next space would press it again
    this.frame.addEventListener("mousedown", (event) => {
      if (clickedButton(event)) event.preventDefault();
    }, { signal });
    // Streamlit sees only the host of this shadow root and would take letters typed into a field as its own shortcuts
    for (const name of ["keydown", "keypress", "keyup"]) {
      this.frame.addEventListener(name, (event) => {
        if ((event.target as Element).matches(FIELDS)) event.stopPropagation();
      }, { signal });
    }
  }

  keydown(event: KeyboardEvent) {
    if (!this.frame.isConnected || isForInputMethod(event) || event.altKey || event.getModifierState("AltGraph")) return;
    if (this.surface.shared && !event.composedPath().includes(this.frame)) return;
    if (event.ctrlKey || event.metaKey) {
      this.keyWithCtrl(event);
      return;
    }
    if (!event.repeat) {
      this.pressedOn = this.surface.row;
      this.acted = null;
    } else if (event.code === this.acted) {
      event.preventDefault(); // a held key acts once, and types nothing where its act has put the focus
      return;
    }
    const path = event.composedPath();
    const [target] = path;
    const inside = path.includes(this.frame);
    const inField = target instanceof Element && target.matches(FIELDS);
    const editable = target instanceof HTMLElement && target.isContentEditable;
    if (!inside && (inField || editable || matchesAny(path, OTHERS))) return;
    const key = keyOf(event);
    if (this.list.open) this.keyInList(event, key);
    else if (this.belongsToNumber(path)) this.keyInNumber(event, key);
    else if (inField) this.keyInField(event, key, target);
    else if ((key === "Enter" || key === " ") && matchesAny(path, PRESSED)) {
      if (event.repeat && inside) event.preventDefault(); // a held key presses a button once
    } else this.keyOutside(event, key);
  }

  // A key with Ctrl or Command is the browser's, unless the tester's layout gives it to an action; in a field it always
  // is.
  keyWithCtrl(event: KeyboardEvent) {
    const key = `Ctrl+${keyOf(event)}`;
    const path = event.composedPath();
    if (event.shiftKey || this.list.open || this.surface.own.holderOf(key) === undefined) return;
    if (matchesAny(path, FIELDS) || matchesAny(path, OTHERS) || this.belongsToNumber(path)) return;
    this.take(event, this.workOf(key));
  }

  // A key while no field holds anything.
  keyOutside(event: KeyboardEvent, key: string) {
    const { answers, row } = this.surface;
    if (answers.isNumber && row !== null && STARTS_NUMBER.test(event.key)) {
      this.typeNumber(event);
      return;
    }
    const work = this.workOf(key) ?? this.surface.codeWork(shiftedLetter(event));
    if (work) this.take(event, work);
    else if (this.surface.own.typed && event.key.length === 1 && row !== null) this.typeName(event);
    else if (event.key.length === 1 && event.composedPath()[0] === answers.field) this.typeNumber(event);
    else if (event.key.length === 1 && !event.repeat && !STREAMLITS.has(event.key.toLowerCase())) {
      this.surface.notTaken(`${keyWords(event.key)} does nothing here. Press ? for all keys.`);
    }
  }

  // What a key does to the input on the screen; where none has been there long enough to be seen, the tester learns it.
  onInput(act: () => unknown): () => unknown {
    return () => this.surface.seen() ? act() : this.surface.notTaken("Not saved: no input was on screen yet.");
  }

  take(event: KeyboardEvent, work: (() => unknown) | null) {
    if (!work) return;
    event.preventDefault();
    if (STREAMLITS.has(event.key.toLowerCase())) event.stopImmediatePropagation(); // a class of that name
    if (event.repeat) return;
    this.acted = event.code;
    work();
  }

  workOf(key: string): (() => unknown) | null {
    const { surface } = this;
    const { answers, stage } = surface;
    const place = answers.placeOfKey(key);
    const action = surface.own.actionOf(key);
    if (place >= 0) return this.onInput(() => answers.take(place));
    if (isFor("list", key)) return () => this.showHelp(true);
    if (action === "cannot tell" || action === "skip" || action === "outside") return this.onInput(() => surface.act(action));
    if (action) return () => surface.act(action);
    const mark = surface.row === null ? null : answers.panel.workOf(key);
    if (mark) return this.onInput(mark);
    if (isFor("leave", key) && surface.changing !== null) return () => surface.leaveChange();
    if (isFor("search", key) && !answers.search.hidden) return () => answers.search.focus({ preventScroll: true });
    if (isFor("store", key) && !answers.store.hidden) return this.onInput(() => answers.storeAnswer());
    const { sound } = stage;
    if (sound && key === surface.view.task.actions.play) return () => sound.toggle();
    if (stage.zoomable && isFor("zoom in", key)) return () => stage.zoom(1.5);
    if (stage.zoomable && isFor("zoom out", key)) return () => stage.zoom(1 / 1.5);
    if (stage.zoomable && key === this.fitKey) return () => stage.fit();
    return null;
  }

  // While the number's field holds something, every key belongs to it, but in another field or on a button that has the
  // focus.
  belongsToNumber(path: EventTarget[]) {
    const { answers, row } = this.surface;
    if (!answers.typing || row === null) return false;
    return path[0] === answers.field || !(matchesAny(path.slice(0, 1), FIELDS) || matchesAny(path, PRESSED));
  }

  keyInNumber(event: KeyboardEvent, key: string) {
    const { surface } = this;
    if (key === "Enter") this.take(event, () => surface.seen() && surface.answers.storeAnswer());
    else if (key === "Escape") this.take(event, () => this.leaveNumber());
    else if (event.key.length === 1 || key === "Backspace" || key === "Delete") this.typeNumber(event);
  }

  // The key goes on to the field and types there; a key held since another input was on the screen does not.
  typeNumber(event: KeyboardEvent) {
    const { surface } = this;
    if ((event.repeat && this.pressedOn !== surface.row) || !surface.seen()) event.preventDefault();
    else surface.answers.field.focus({ preventScroll: true });
  }

  // The key goes on to the search field and types there, the first letter of a class; Streamlit must not take it as its
  // own.
  typeName(event: KeyboardEvent) {
    const { surface } = this;
    event.stopImmediatePropagation();
    if ((event.repeat && this.pressedOn !== surface.row) || !surface.seen()) event.preventDefault();
    else surface.answers.search.focus({ preventScroll: true });
  }

  takeFound() {
    const { answers, view, words } = this.surface;
    const { outside } = view.task;
    if (answers.takeFound()) answers.search.blur();
    else words.notice(`No class has “${answers.search.value.trim()}” in its name.${outside ? ` The button “${outside}” takes it as a name.` : ""}`);
  }

  leaveSearch() {
    const { answers } = this.surface;
    answers.clearSearch();
    answers.search.blur();
  }

  leaveNumber() {
    const { answers, changing } = this.surface;
    answers.field.value = "";
    answers.fieldChanged();
    answers.field.blur();
    if (changing !== null) this.surface.leaveChange();
  }

  get fitKey() {
    const { own } = this.surface;
    return own.typed || own.holderOf("0") !== undefined ? "." : "0";
  }

  keyInField(event: KeyboardEvent, key: string, field: EventTarget) {
    const { surface } = this;
    const { answers } = surface;
    if (field === surface.note.field) {
      if (key === "Escape") this.take(event, () => surface.note.close());
    } else if (field === surface.reason.field) {
      if (key === "Escape") this.take(event, () => surface.reason.close());
    } else if (field === surface.outside.field) {
      if (key === "Escape") this.take(event, () => surface.outside.close());
    } else if (field === surface.codes.field) {
      if (key === "Escape") this.take(event, () => surface.codes.close());
    } else if (answers.panel.holds(field)) {
      if (key === "Escape") this.take(event, () => answers.panel.leaveField());
      if (key === "Enter") this.take(event, () => answers.panel.leaveField() && surface.seen() && answers.storeAnswer());
    } else if (field === answers.search) {
      this.keyInSearch(event, key);
    } else if (field === answers.field) { // which is empty
      if (key === "Escape") this.take(event, () => this.leaveNumber());
      else this.keyOutside(event, key);
    }
  }

  keyInSearch(event: KeyboardEvent, key: string) {
    const { answers, own } = this.surface;
    if (key === "Escape") this.take(event, () => this.leaveSearch());
    else if (own.typed && !answers.search.value && key !== "Backspace") this.keyOutside(event, key); // as if the field were left
    else if (key === "Enter") this.take(event, () => this.surface.seen() && this.takeFound());
    else if (key === "ArrowDown" || key === "ArrowUp") {
      event.preventDefault();
      answers.mark(answers.marked + (key === "ArrowDown" ? 1 : -1));
    }
  }

  keyInList(event: KeyboardEvent, key: string) {
    const { list } = this;
    if (key === "Tab") list.cycle(event);
    else if (list.asking !== null && !["Shift", "CapsLock", "Dead"].includes(key)) this.take(event, () => list.choose(key));
    else if (key === "Escape" || key === "?") this.take(event, () => this.showHelp(false));
  }

  showHelp(open: boolean) {
    const { surface } = this;
    if (open) this.list.show(surface.own, surface.view.task, fixedKeys(surface, this.fitKey));
    else this.list.hide();
  }
}
