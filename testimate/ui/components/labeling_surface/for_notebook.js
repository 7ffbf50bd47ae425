// The labeling surface in a cell of a notebook, as anywidget calls it: once for each place where the widget is shown.

import { deliverTo } from "./surface.js";

/**
 * @typedef {object} Model what anywidget gives: the widget's values, and a way to Python
 * @property {(name: string) => any} get
 * @property {(name: string, work: () => void) => void} on
 * @property {(name: string, work: () => void) => void} off
 * @property {(message: object) => void} send
 */

/** @param {{ model: Model, el: HTMLElement }} given */
function render({ model, el }) {
  el.dataset.lmSuppressShortcuts = "true"; // JupyterLab's: "d" twice would delete the cell
  const root = el.attachShadow({ mode: "open" });
  const style = document.createElement("style");
  style.textContent = model.get("css");
  root.innerHTML = model.get("html");
  root.prepend(style);
  const send = (/** @type {string} */ name, /** @type {object} */ message) => model.send({ name, message });
  let end = () => {};
  const deliver = () => { end = deliverTo(root, model.get("view"), send, { shared: true }); };
  model.on("change:view", deliver);
  deliver();
  return () => {
    model.off("change:view", deliver);
    end();
  };
}

export default function () {
  return { render };
}
