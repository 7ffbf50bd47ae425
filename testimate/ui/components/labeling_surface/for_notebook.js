// The labeling surface in a cell of a notebook, as anywidget calls it: once for each place where the widget is shown.

import { focused, part } from "../elements.js";
import { deliverTo } from "./surface.js";

/**
 * @typedef {object} Model what anywidget gives: the widget's values, and a way to Python
 * @property {(name: string) => any} get
 * @property {(name: string, work: () => void) => void} on
 * @property {(name: string, work: () => void) => void} off
 * @property {(message: object) => void} send
 */

/**
 * Gives the surface the focus where it is clicked, and again where an input that had it is replaced: else the next key would be
 * one of the notebook's own.
 *
 * @param {HTMLElement} el
 * @param {HTMLElement} frame
 * @param {AbortSignal} signal
 * @returns {() => void} call that gives back the focus, where it was here last
 */
function focusKept(el, frame, signal) {
  let here = false;
  frame.tabIndex = 0;
  document.addEventListener("focusin", (event) => { here = event.composedPath().includes(el); }, { signal });
  document.addEventListener("pointerdown", (event) => {
    here = event.composedPath().includes(el);
    if (here) frame.focus({ preventScroll: true });
  }, { signal });
  const keep = () => { if (here && document.activeElement === document.body) frame.focus({ preventScroll: true }); };
  // before the surface sees the key, whose answer may replace the text that has the focus
  window.addEventListener("keydown", ({ key }) => {
    if (here && focused(frame)?.closest(".stage") && (key.length === 1 || key === "Backspace")) frame.focus();
    setTimeout(keep);
  }, { signal, capture: true });
  return keep;
}

/** @param {{ model: Model, el: HTMLElement }} given */
function render({ model, el }) {
  el.dataset.lmSuppressShortcuts = "true"; // JupyterLab's: "d" twice would delete the cell
  const root = el.attachShadow({ mode: "open" });
  const style = document.createElement("style");
  style.textContent = model.get("css");
  root.innerHTML = model.get("html");
  root.prepend(style);
  const frame = part(root, ".surface");
  const stopper = new AbortController();
  const keepFocus = focusKept(el, frame, stopper.signal);
  const send = (/** @type {string} */ name, /** @type {object} */ message) => model.send({ name, message });
  let end = () => {};
  const deliver = () => {
    end = deliverTo(root, model.get("view"), send, { shared: true });
    keepFocus();
  };
  model.on("change:view", deliver);
  deliver();
  return () => {
    model.off("change:view", deliver);
    stopper.abort();
    end();
  };
}

export default function () {
  return { render };
}
