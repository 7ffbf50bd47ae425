// The one table of keys, keys.json, which Python reads, too: class_keys.py.

import table from "./keys.json" with { type: "json" };

// How a tool that people know lays out its keys, as far as its actions exist here.
export interface KeyLayout {
  name: string; // of the tool
  classes: string; // keys of the classes in their order, for those not named by a digit or a letter; "" for ours
  pair: string[] | null; // keys of the classes that accept and reject, where two do
  actions: Record<string, string>;
}
// moved: the key where a class took the action's
type ActionKeys = { key: string, moved: string, words: string };

const EVERY_ACTION: Record<string, ActionKeys> = table.actions;
export const ACTIONS = Object.keys(EVERY_ACTION).filter((name) => name !== "play"); // a sound's key is no action on the input

export const keysOf = (action: string) => EVERY_ACTION[action];

export const LAYOUTS: Record<string, KeyLayout> = table.layouts;

export const STREAMLITS = new Set(table.streamlit); // which clear its cache and run the page again

type Fixed = keyof typeof table.fixed;
const FIXED: Record<Fixed, { keys: string[], words: string, shown?: string }> = table.fixed;

export const isFor = (what: Fixed, key: string) => FIXED[what].keys.includes(key);

// The keys with a fixed meaning, which no class and no action can have; digits mean a class, where one has them.
export const TAKEN = new Set([
  ...STREAMLITS,
  ...Object.values(FIXED).flatMap(({ keys }) => keys).filter((key) => key.length === 1 && !/[0-9]/.test(key)),
  ...Object.values(EVERY_ACTION).flatMap(({ moved }) => moved.trim().length === 1 ? [moved] : []),
]);

const SHOWN: Record<string, string> = table.shown;

export const keyWords = (key: string) => SHOWN[key] ?? key;

/**
 * A line of the list for keys with a fixed meaning.
 *
 * @param key where which one depends on the task
 */
export function fixedLine(what: Fixed, key?: string): [string, string] {
  const { keys, words, shown } = FIXED[what];
  return [key ?? shown ?? keyWords(keys[0]), words];
}

export const PALETTE: { key: string, pages: string } = table.palette;
