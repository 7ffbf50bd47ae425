// The one table of keys, keys.json, which Python reads, too: class_keys.py.

import table from "./keys.json" with { type: "json" };

/**
 * How a tool that people know lays out its keys, as far as its actions exist here.
 *
 * @typedef {object} KeyLayout
 * @property {string} name of the tool
 * @property {string} classes keys of the classes in their order, for those not named by a digit or a letter; "" for ours
 * @property {string[] | null} pair keys of the classes that accept and reject, where two do
 * @property {Record<string, string>} actions
 */
/** @typedef {{ key: string, moved: string, words: string }} ActionKeys moved: the key where a class took the action's */

/** @type {Record<string, ActionKeys>} */
const EVERY_ACTION = table.actions;
export const ACTIONS = Object.keys(EVERY_ACTION).filter((name) => name !== "play"); // a sound's key is no action on the input

/** @param {string} action */
export const keysOf = (action) => EVERY_ACTION[action];

/** @type {Record<string, KeyLayout>} */
export const LAYOUTS = table.layouts;

export const STREAMLITS = new Set(table.streamlit); // which clear its cache and run the page again

/** @typedef {keyof typeof table.fixed} Fixed */
/** @type {Record<Fixed, { keys: string[], words: string, shown?: string }>} */
const FIXED = table.fixed;

/**
 * @param {Fixed} what
 * @param {string} key
 */
export const isFor = (what, key) => FIXED[what].keys.includes(key);

// The keys with a fixed meaning, which no class and no action can have; digits mean a class, where one has them.
export const TAKEN = new Set([
  ...STREAMLITS,
  ...Object.values(FIXED).flatMap(({ keys }) => keys).filter((key) => key.length === 1 && !/[0-9]/.test(key)),
  ...Object.values(EVERY_ACTION).flatMap(({ moved }) => moved.trim().length === 1 ? [moved] : []),
]);

/** @type {Record<string, string>} */
const SHOWN = table.shown;

/** @param {string} key */
export const keyWords = (key) => SHOWN[key] ?? key;

/**
 * A line of the list for keys with a fixed meaning.
 *
 * @param {Fixed} what
 * @param {string} [key] where which one depends on the task
 * @returns {[string, string]}
 */
export function fixedLine(what, key) {
  const { keys, words, shown } = FIXED[what];
  return [key ?? shown ?? keyWords(keys[0]), words];
}

/** @type {{ key: string, pages: string }} */
export const PALETTE = table.palette;
