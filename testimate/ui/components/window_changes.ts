// What does not follow by itself when the window changes: legends after a jump in width, charts between light and dark.
//
// Plotly places a legend before it knows how many lines the new width leaves it, so that it lies on the chart afterwards; laid
// out once more, it lies where it belongs. And a chart has the colors of the theme in which Python drew it.

import type { Given, Tell } from "./mount.ts";

const KNOWN = "testimate window changes";
const REST = 300; // milliseconds without another change of size
const TURNED = 300; // milliseconds that Streamlit takes to turn to another theme

export type Chart = HTMLElement & { _fullLayout?: { legend?: { y: number } } };
type Plotly = { relayout: (chart: Chart, changes: object) => void };

// Places the legends of these charts once more; charts that have none, or are not drawn yet, stay as they are.
export function layOutLegends(charts: Chart[], plotly: Plotly) {
  for (const chart of charts) {
    const legend = chart._fullLayout?.legend;
    if (legend) plotly.relayout(chart, { "legend.y": legend.y });
  }
}

class Watch {
  tell: Tell;
  timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.tell = () => {}; // the page's as it was drawn last
    this.timer = undefined;
    window.addEventListener("resize", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.resized(), REST);
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", ({ matches }) => {
      setTimeout(() => this.tell("scheme", matches ? "dark" : "light"), TURNED);
    });
  }

  resized() {
    const { Plotly } = window as unknown as { Plotly?: Plotly };
    if (Plotly) layOutLegends([...document.querySelectorAll(".js-plotly-plot")].map((one) => (one as Chart)), Plotly);
  }
}

export default function ({ setTriggerValue }: Pick<Given<null>, "setTriggerValue">) {
  const page = window as unknown as Record<string, Watch | undefined>;
  const watch = page[KNOWN] ??= new Watch();
  watch.tell = setTriggerValue;
}
