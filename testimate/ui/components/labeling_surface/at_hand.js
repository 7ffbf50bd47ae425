// The inputs whose content is in this browser.

import { prepare, release } from "./content.js";

/** @import { Delivered, HeldInput } from "./types.js" */

const MOST_HELD = 64; // inputs whose content is kept

/** @type {{ owner: string | null, inputs: Map<number, HeldInput> }} */
const KEPT = { owner: null, inputs: new Map() }; // row -> input with its content; outlives a change of page

/**
 * What is held for a session and tester; what was held for another is released.
 *
 * @param {string} owner
 */
export function inputsHeldFor(owner) {
  if (KEPT.owner !== owner) {
    for (const input of KEPT.inputs.values()) release(input.content);
    KEPT.owner = owner;
    KEPT.inputs = new Map();
  }
  return KEPT.inputs;
}

/**
 * Takes in what Python delivered and releases the oldest others. pictured: called when a small picture is ready.
 *
 * @param {Map<number, HeldInput>} inputs
 * @param {Delivered[]} items
 * @param {number | null} rowOnScreen
 * @param {() => void} pictured
 */
export function hold(inputs, items, rowOnScreen, pictured) {
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
