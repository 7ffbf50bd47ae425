// What the palette lists for the letters typed, and which keys open it or lead to a page; nothing of the page is touched here.

import { PALETTE } from "../labeling_surface/key_table.ts";
import { TypeAhead } from "../labeling_surface/type_ahead.ts";

// as palette.py sends it
export interface Command {
  id: string;
  title: string;
  group: string;
  digit: string;
}

// The commands that fit, the best first; all of them, as they came, while nothing is typed.
export function fitting(commands: Command[], typed: string): Command[] {
  if (!typed.trim()) return commands;
  const names = commands.map(({ title, group }) => `${title} ${group}`);
  return new TypeAhead(names, names.map((_, place) => place)).find(typed).map((place) => commands[place]);
}

// Whether the key opens the palette, or closes it: Cmd K on a Mac, where Ctrl K cuts the rest of a line; elsewhere Ctrl
// K.
export function opens(event: KeyboardEvent, onMac: boolean) {
  const held = onMac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
  const { key } = PALETTE;
  const pressed = event.key.toLowerCase() === key || event.code === `Key${key.toUpperCase()}`;
  return held && !event.altKey && !event.shiftKey && pressed;
}

// The digit that is pressed with Alt and Shift, whatever the layout puts there; "" for any other key.
export function digitOf(event: KeyboardEvent) {
  if (!event.altKey || !event.shiftKey || event.ctrlKey || event.metaKey) return "";
  return /^Digit[0-9]$/.test(event.code) ? event.code.slice(5) : "";
}

/**
 * Where a key moves the mark in a list of that many; null where it moves nothing.
 *
 * @param count at least 1
 */
export function moved(key: string, place: number, count: number) {
  if (key === "ArrowDown") return (place + 1) % count;
  if (key === "ArrowUp") return (place + count - 1) % count;
  if (key === "PageDown") return Math.min(count - 1, place + 8);
  if (key === "PageUp") return Math.max(0, place - 8);
  return null;
}
