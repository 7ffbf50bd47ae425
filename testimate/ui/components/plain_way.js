// Labeling by plain buttons for who listens: says what was stored and which input came, and keeps the place in the page.
//
// The buttons of an input leave the page with it, and the focus with the button that was pressed: it would start again at the
// top of the page after every answer. So it goes to the line that says what happened, just before the new input.

const GONE = 200; // milliseconds in which the buttons of the last input leave the page

/** @typedef {{ words: string, input: string }} Said */

/**
 * Writes the line; true where another input came than the one before, so that the focus may have gone.
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
