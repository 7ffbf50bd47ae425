// Keeps a component on a page: it is made with the first delivery, and ended when it leaves the page.

/** @typedef {{ html: string, css?: string }} Markup what a component consists of before anything is delivered */
/** @typedef {{ readonly closed: boolean, close(): void }} Component */
/** @typedef {{ markup: Markup, box: HTMLElement, component?: Component, turn: number }} Kept */

const KEPT = "testimate component"; // on the root itself: a script that the server has replaced meanwhile finds it there, too

/**
 * @param {ParentNode & Node} root
 * @param {Markup} markup
 * @returns {Kept}
 */
function keptIn(root, markup) {
  const holder = /** @type {Record<string, Kept | undefined>} */ (/** @type {unknown} */ (root));
  const before = holder[KEPT];
  if (before?.markup === markup && before.box.parentNode === root) return before;
  before?.component?.close();
  before?.box.remove();
  const box = document.createElement("div");
  box.innerHTML = markup.html; // of this program alone
  const style = document.createElement("style");
  style.textContent = markup.css ?? "";
  box.append(style);
  root.append(box);
  return holder[KEPT] = { markup, box, turn: 0 };
}

/**
 * The element in ``root`` that holds the component's HTML and style, put there once.
 *
 * @param {ParentNode & Node} root
 * @param {Markup} markup one object for all deliveries
 */
export function filled(root, markup) {
  return keptIn(root, markup).box;
}

/**
 * Delivers to the component in ``root``, which ``make`` makes of its HTML the first time; returns what ends it.
 *
 * @template {Component} Made
 * @param {ParentNode & Node} root
 * @param {Markup} markup one object for all deliveries
 * @param {(box: HTMLElement) => Made} make
 * @param {(made: Made) => void} deliver
 * @returns {() => void}
 */
export function mount(root, markup, make, deliver) {
  const kept = keptIn(root, markup);
  if (!kept.component || kept.component.closed) kept.component = make(kept.box);
  const made = /** @type {Made} */ (kept.component);
  deliver(made);
  kept.turn += 1;
  const { turn } = kept;
  // Streamlit also cleans up after a delivery that a newer one overtook: only the newest delivery may end the component
  return () => setTimeout(() => { if (turn === kept.turn) made.close(); }, 50);
}
