// Labeling by plain buttons with a screen reader: says what was stored and which input is next, and keeps the focus in place.
//
// The buttons of an input leave the page with it, and the focus with the button that was pressed: it would start again at the
// top of the page after every answer. So it goes to the line that says what happened, just before the new input.

const GONE = 200; // milliseconds in which the buttons of the last input leave the page

/** @typedef {{ words: string, input: string }} Said */

/**
 * Writes the line; true if the input changed, so that the focus may have been lost.
 *
 * @param {HTMLElement} line
 * @param {Said} said
 */
export function say(line, { words, input }) {
  const another = line.dataset.input !== undefined && line.dataset.input !== input;
  line.dataset.input = input;
  if (line.textContent !== words) line.textContent = words;
  return another;
}

/** @param {{ parentElement: ParentNode, data: Said[] }} component */
export default function ({ parentElement, data }) {
  const line = parentElement.querySelector("p");
  if (!line || !data?.length || !say(line, data[0])) return;
  setTimeout(() => { if (document.activeElement === document.body) line.focus(); }, GONE);
}
