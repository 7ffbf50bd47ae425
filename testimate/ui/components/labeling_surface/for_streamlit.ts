// The labeling surface as Streamlit's component calls it: with each delivery again.

import css from "./surface.css";
import html from "./surface.html";
import { deliverTo } from "./surface.ts";

import type { Given } from "../mount.ts";
import type { View } from "./types.ts";

const MARKUP = { html, css };

export default function ({ parentElement, data: [view], setTriggerValue }: Given<[View]>) {
  return deliverTo(parentElement, MARKUP, view, setTriggerValue);
}
