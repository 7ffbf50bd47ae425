// The keys of annotation tools that people know, as far as those tools' actions exist here.

/** @import { Task } from "./types.js" */

/**
 * How a tool lays out its keys.
 *
 * @typedef {object} KeyLayout
 * @property {string} name of the tool
 * @property {string} classes keys of the classes in their order, for those not named by a digit or a letter; "" for ours
 * @property {[string, string] | null} pair keys of the classes that accept and reject, where two do
 * @property {Record<string, string>} actions
 */

/** @type {Record<string, KeyLayout>} */
export const LAYOUTS = {
  testimate: { name: "Testimate", classes: "", pair: null, actions: {} },
  // Prodigy's documentation, "Web Application": accept a, reject x, ignore space, undo backspace, flag f, options 0-9
  prodigy: {
    name: "Prodigy",
    classes: "",
    pair: ["a", "x"],
    actions: { "cannot tell": " ", flag: "f", undo: "Backspace" },
  },
  // Label Studio's editor gives labels the keys 1-9, 0, q, w, e, t, a, ... in turn; c clears Streamlit's cache and is left out
  "label studio": {
    name: "Label Studio",
    classes: "1234567890qwetasdfgzxvbyiopjklnm",
    pair: null,
    actions: { skip: "Ctrl+ ", undo: "Ctrl+z" },
  },
};

const KEPT = "testimate-key-layout"; // for all sessions of this browser

/** @returns {string} a key of LAYOUTS */
export function chosenLayout() {
  try {
    const name = localStorage.getItem(KEPT) ?? "";
    return Object.hasOwn(LAYOUTS, name) ? name : "testimate";
  } catch {
    return "testimate"; // no storage on this site
  }
}

/** @param {string} name */
export function chooseLayout(name) {
  try {
    localStorage.setItem(KEPT, name);
  } catch {
    // no storage on this site: until the page is left
  }
}

/**
 * The key of each class and action as the tool has them: no two alike, and a class named by a digit or a letter keeps it.
 *
 * @param {Task} task with Testimate's own keys
 * @param {string} name a key of LAYOUTS
 * @param {(key: string) => boolean} free whether a key may be given away here
 * @returns {Map<string, string>} "class 3" or an action's name -> key
 */
export function keysAsIn(task, name, free) {
  const layout = LAYOUTS[name];
  const isNamed = (/** @type {number} */ place) => task.keys[place] !== "" && task.keys[place] === task.classes[place].toLowerCase();
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
  /** @type {Map<string, string>} */
  const found = new Map();
  for (const [action, key] of actions) found.set(action, used.has(key) ? spare(action) : key);
  keys.forEach((key, place) => found.set(`class ${place}`, key));
  return found;
}

/** @param {string} action the key it has where a class took its own; see class_keys.py */
function spare(action) {
  return { skip: "ArrowRight", flag: "," }[action] ?? "";
}
