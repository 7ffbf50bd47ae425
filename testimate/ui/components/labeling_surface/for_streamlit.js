// The labeling surface as Streamlit's component calls it: with each delivery again.

import css from "./surface.css";
import html from "./surface.html";
import { deliverTo } from "./surface.js";

/** @import { View } from "./types.js" */

const MARKUP = { html, css };

/** @param {{ parentElement: ShadowRoot, data: [View], setTriggerValue: (name: string, message: object) => void }} given */
export default function ({ parentElement, data: [view], setTriggerValue }) {
  return deliverTo(parentElement, MARKUP, view, setTriggerValue);
}
