// The labeling surface in a cell of a notebook, as anywidget calls it: once for each place where the widget is shown.

import css from "./surface.css";
import html from "./surface.html";
import { deliverTo } from "./surface.ts";

import type { View } from "./types.ts";

const COLORS = `
:host {
  --st-text-color: var(--jp-ui-font-color1, var(--vscode-editor-foreground, #222));
  --st-background-color: var(--jp-layout-color1, var(--vscode-editor-background, #fff));
  --st-secondary-background-color: var(--jp-layout-color2, var(--vscode-editorWidget-background, #f3f4f6));
  display: block;
  padding: 4px;
}
.surface:focus { outline: 2px solid var(--chosen); outline-offset: 4px; border-radius: 4px; }
`;
const MARKUP = { html, css: css + COLORS };

// what anywidget gives: the widget's values, and a way to Python
interface Model {
  get: (name: "view") => View;
  on: (name: string, work: () => void) => void;
  off: (name: string, work: () => void) => void;
  send: (message: object) => void;
}

function render({ model, el }: { model: Model, el: HTMLElement }) {
  el.dataset.lmSuppressShortcuts = "true"; // JupyterLab's: "d" twice would delete the cell
  const root = el.attachShadow({ mode: "open" });
  const send = (name: string, message: unknown) => model.send({ name, message });
  let end = () => {};
  const deliver = () => { end = deliverTo(root, MARKUP, model.get("view"), send, { shared: true }); };
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
