// The inputs whose content is in this browser.

import { prepare, release } from "./content.ts";

import type { Delivered, HeldInput } from "./types.ts";

const MOST_HELD = 64; // inputs whose content is kept

// row -> input with its content; outlives a change of page
const KEPT: { owner: string | null, inputs: Map<number, HeldInput> } = { owner: null, inputs: new Map() };

// What is held for a session and tester; what was held for another is released.
export function inputsHeldFor(owner: string) {
  if (KEPT.owner !== owner) {
    for (const input of KEPT.inputs.values()) release(input.content);
    KEPT.owner = owner;
    KEPT.inputs = new Map();
  }
  return KEPT.inputs;
}

// Takes in what Python delivered and releases the oldest others. pictured: called when a small picture is ready.
export function hold(inputs: Map<number, HeldInput>, items: Delivered[], rowOnScreen: number | null, pictured: () => void) {
  for (const item of items) {
    const known = inputs.get(item.row);
    const content = known?.content ?? (item.shown ? prepare(item.row, item.shown) : null);
    if (!content) continue;
    inputs.delete(item.row);
    inputs.set(item.row, { ...known, ...item, shown: null, content });
    if (!known) content.ready?.then(pictured);
  }
  const needed = new Set(items.map((item) => item.row));
  for (const [row, input] of inputs) {
    if (inputs.size <= MOST_HELD) break;
    if (needed.has(row) || row === rowOnScreen) continue;
    release(input.content);
    inputs.delete(row);
  }
}
