// What the palette lists for the letters typed, and which keys open it or lead to a page; nothing of the page is touched here.

import { TypeAhead } from "../labeling_surface/type_ahead.js";

/**
 * @typedef {object} Command as palette.py sends it
 * @property {string} id
 * @property {string} title
 * @property {string} group
 * @property {string} digit
 */

/**
 * The commands that fit, the best first; all of them, as they came, while nothing is typed.
 *
 * @param {Command[]} commands
 * @param {string} typed
 * @returns {Command[]}
 */
export function fitting(commands, typed) {
  if (!typed.trim()) return commands;
  const names = commands.map(({ title, group }) => `${title} ${group}`);
  return new TypeAhead(names, names.map((_, place) => place)).find(typed).map((place) => commands[place]);
}

/**
 * Whether the key opens the palette, or closes it: Cmd K on a Mac, where Ctrl K cuts the rest of a line; elsewhere Ctrl K.
 *
 * @param {KeyboardEvent} event
 * @param {boolean} onMac
 */
export function opens(event, onMac) {
  const held = onMac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
  return held && !event.altKey && !event.shiftKey && (event.key.toLowerCase() === "k" || event.code === "KeyK");
}

/**
 * The digit that is pressed with Alt and Shift, whatever the layout puts there; "" for any other key.
 *
 * @param {KeyboardEvent} event
 */
export function digitOf(event) {
  if (!event.altKey || !event.shiftKey || event.ctrlKey || event.metaKey) return "";
  return /^Digit[0-9]$/.test(event.code) ? event.code.slice(5) : "";
}

/**
 * Where a key moves the mark in a list of that many; null where it moves nothing.
 *
 * @param {string} key
 * @param {number} place
 * @param {number} count at least 1
 */
export function moved(key, place, count) {
  if (key === "ArrowDown") return (place + 1) % count;
  if (key === "ArrowUp") return (place + count - 1) % count;
  if (key === "PageDown") return Math.min(count - 1, place + 8);
  if (key === "PageUp") return Math.max(0, place - 8);
  return null;
}
