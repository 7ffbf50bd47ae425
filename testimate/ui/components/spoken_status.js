// Labeling by plain buttons with a screen reader: says what was stored and which input is next, and keeps the focus in place.
//
// The buttons of an input leave the page with it, and the focus with the button that was pressed: it would start again at the
// top of the page after every answer. So it goes to the line that says what happened, just before the new input.

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

/** @type {MutationObserver | undefined} */
let waiting; // for the button of the last answer to leave the page

/**
 * Gives the line the focus as soon as the element that has it leaves the page, however long the page takes to remove it; not
 * where the focus has moved on to something else by then.
 *
 * @param {HTMLElement} line
 */
function takeFocusAfterRemoval(line) {
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

/** @param {{ parentElement: ParentNode, data: Said[] }} component */
export default function ({ parentElement, data }) {
  const line = parentElement.querySelector("p");
  if (line && data?.length && say(line, data[0])) takeFocusAfterRemoval(line);
}
