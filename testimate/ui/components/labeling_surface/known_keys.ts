// The keys of annotation tools that people know, as far as those tools' actions exist here.

import { LAYOUTS, keysOf } from "./key_table.ts";

import type { Task } from "./types.ts";

const KEPT = "testimate-key-layout"; // for all sessions of this browser

/** @returns a key of LAYOUTS */
export function chosenLayout(): string {
  try {
    const name = localStorage.getItem(KEPT) ?? "";
    return Object.hasOwn(LAYOUTS, name) ? name : "testimate";
  } catch {
    return "testimate"; // no storage on this site
  }
}

export function chooseLayout(name: string) {
  try {
    localStorage.setItem(KEPT, name);
  } catch {
    // no storage on this site: until the page is left
  }
}

/**
 * The key of each class and action as the tool has them: no two alike, and a class named by a digit or a letter keeps
 * it.
 *
 * @param task with Testimate's own keys
 * @param name a key of LAYOUTS
 * @param free whether a key may be given away here
 * @returns "class 3" or an action's name -> key
 */
export function keysAsIn(task: Task, name: string, free: (key: string) => boolean): Map<string, string> {
  const layout = LAYOUTS[name];
  const isNamed = (place: number) => task.keys[place] !== "" && task.keys[place] === task.classes[place].toLowerCase();
  const named = new Set(task.keys.filter((_, place) => isNamed(place)));
  const offered = [...layout.classes].filter((key) => !named.has(key) && free(key));
  const others = task.order.filter((place) => !isNamed(place));
  const given = task.keys.some(Boolean) && offered.length >= others.length ? offered : null;
  const pair = layout.pair?.some((key) => named.has(key)) ? null : layout.pair;
  const keys = task.keys.map((key, place) => {
    const which = task.accepts?.indexOf(place) ?? -1;
    if (isNamed(place)) return key;
    if (pair && which >= 0) return pair[which];
    return given ? given[others.indexOf(place)] : key;
  });
  const used = new Set(keys);
  const actions = Object.keys(task.actions).filter((action) => action !== "play").map((action) => {
    const wanted = layout.actions[action];
    return [action, wanted !== undefined && !used.has(wanted) ? wanted : task.actions[action]];
  });
  const found: Map<string, string> = new Map();
  for (const [action, key] of actions) found.set(action, used.has(key) ? spareOf(action) : key);
  keys.forEach((key, place) => found.set(`class ${place}`, key));
  return found;
}

// The key of an action where a class took its own; none where it has no other.
function spareOf(action: string) {
  const { key, moved } = keysOf(action);
  return moved === key ? "" : moved;
}
