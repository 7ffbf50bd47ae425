// The labeling surface as Streamlit's component calls it: with each delivery again.

import { deliverTo } from "./surface.js";

/** @import { View } from "./types.js" */

/** @param {{ parentElement: ParentNode, data: [View], setTriggerValue: (name: string, message: object) => void }} given */
export default function ({ parentElement, data: [view], setTriggerValue }) {
  return deliverTo(parentElement, view, setTriggerValue);
}
