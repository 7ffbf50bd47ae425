// Labeling by plain buttons with a screen reader: says what was stored and which input is next, and keeps the focus in place.
//
// The buttons of an input leave the page with it, and the focus with the button that was pressed: it would start again at the
// top of the page after every answer. So it goes to the line that says what happened, just before the new input.

import { part } from "./elements.ts";
import { filled } from "./mount.ts";

type Said = { words: string, input: string };

// Writes the line; true if the input changed, so that the focus may have been lost.
export function say(line: HTMLElement, { words, input }: Said) {
  const another = line.dataset.input !== undefined && line.dataset.input !== input;
  line.dataset.input = input;
  if (line.textContent !== words) line.textContent = words;
  return another;
}

let waiting: MutationObserver | undefined; // for the button of the last answer to leave the page

// Gives the line the focus as soon as the element that has it leaves the page, however long the page takes to remove
// it; not where the focus has moved on to something else by then.
function takeFocusAfterRemoval(line: HTMLElement) {
  waiting?.disconnect();
  const before = document.activeElement;
  const look = () => {
    const now = document.activeElement;
    if (now === before && now !== document.body) return;
    waiting?.disconnect();
    if (now === document.body) line.focus();
  };
  waiting = new MutationObserver(look);
  waiting.observe(document.body, { childList: true, subtree: true });
  look();
}

const MARKUP = {
  html: '<p role="status" tabindex="-1"></p>',
  css: `p { margin: 0; color: var(--st-text-color); font: 400 1rem/1.5 var(--st-font); overflow-wrap: anywhere; }
p:focus:not(:focus-visible) { outline: none; }`,
};

export default function ({ parentElement, data: [said] }: { parentElement: ShadowRoot, data: Said[] }) {
  const line = part(filled(parentElement, MARKUP), "p");
  if (say(line, said)) takeFocusAfterRemoval(line);
}
