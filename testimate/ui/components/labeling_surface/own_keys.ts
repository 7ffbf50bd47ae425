// Which key does what: the session's keys, as the tester has set them in this browser.

import { ACTIONS, LAYOUTS, TAKEN } from "./key_table.ts";
import { kindOf } from "./kinds.ts";
import { chooseLayout, chosenLayout, keysAsIn } from "./known_keys.ts";

import type { Task } from "./types.ts";

export class OwnKeys {
  name: string;
  keys: Map<string, string>;
  changed: boolean;
  sounds: boolean;

  // set by applied
  task: Task;

  constructor(session: string) {
    this.name = `testimate-keys ${encodeURIComponent(session)}`;
    this.keys = new Map(); // "class 3" or an action's name -> key
    this.changed = false;
  }

  // The task with the keys as they are set; what was set for another set of classes is left out.
  applied(task: Task, sounds: boolean): Task {
    this.sounds = sounds;
    if (JSON.stringify(task) !== JSON.stringify(this.task)) {
      this.task = task;
      this.keys = this.usual();
      this.changed = false;
      const kept = this.kept();
      if (kept) { this.keys = kept; this.changed = true; }
    }
    return { ...task, keys: task.classes.map((_, place) => this.keys.get(`class ${place}`) ?? "") };
  }

  // Whether classes are named by their first letters: there are more of them than keys.
  get typed() {
    return this.task.classes.length > 0 && !this.task.keys.some(Boolean);
  }

  // The keys of the layout chosen, before the tester changed any.
  usual(): Map<string, string> {
    const plays = this.sounds ? this.task.actions.play : "";
    return keysAsIn(this.task, chosenLayout(), (key) => key !== plays && !TAKEN.has(key));
  }

  get layout() {
    return chosenLayout();
  }

  /**
   * Lays the keys out as another tool does, in all sessions of this browser.
   *
   * @param name a key of LAYOUTS
   */
  layOut(name: string) {
    chooseLayout(name);
    this.reset();
  }

  kept(): Map<string, string> | null {
    try {
      const { classes, keys } = JSON.parse(localStorage.getItem(this.name) ?? "null");
      const found = new Map<string, string>(keys);
      for (const [what, key] of this.usual()) { // an action that there was not yet when the keys were kept
        if (!what.startsWith("class ") && !found.has(what)) found.set(what, [...found.values()].includes(key) ? "" : key);
      }
      const used = [...found.values()].filter(Boolean);
      const same = JSON.stringify(classes) === JSON.stringify(this.task.classes);
      const complete = [...this.usual().keys()].every((what) => typeof found.get(what) === "string");
      return same && complete && new Set(used).size === used.length && !used.some((key) => this.refusal(key)) ? found : null;
    } catch {
      return null; // nothing kept, no storage on this site, or another program's value
    }
  }

  // Why the key cannot be set, in a sentence, or "".
  refusal(key: string): string {
    if (Object.values(this.task.actions).includes(key) && key !== this.task.actions.play) return "";
    if (this.task.keys.includes(key) || Object.values(LAYOUTS[this.layout].actions).includes(key)) return "";
    if (!/^[\x21-\x7e]$/.test(key)) return "Choose a letter, a digit or another single key.";
    const number = kindOf(this.task).given === "number" && /[0-9e]/.test(key);
    const play = this.sounds && key === this.task.actions.play;
    if (TAKEN.has(key) || number || play) return `The key ${key} has another meaning here. Choose another.`;
    return "";
  }

  // Gives the key to a class or an action; what had it takes the other's.
  set(what: string, key: string) {
    const other = this.holderOf(key);
    if (other !== undefined) this.keys.set(other, this.keys.get(what) ?? "");
    this.keys.set(what, key);
    this.changed = true;
    try {
      localStorage.setItem(this.name, JSON.stringify({ classes: this.task.classes, keys: [...this.keys] }));
    } catch {
      // no storage on this site: set until the page is left
    }
  }

  reset() {
    this.keys = this.usual();
    this.changed = false;
    try {
      localStorage.removeItem(this.name);
    } catch {
      // as in set
    }
  }

  holderOf(key: string) {
    return [...this.keys.keys()].find((what) => key !== "" && this.keys.get(what) === key);
  }

  // The action the key stands for, or undefined.
  actionOf(key: string) {
    return ACTIONS.find((name) => this.keys.get(name) === key);
  }
}
