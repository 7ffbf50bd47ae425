// What does not follow by itself when the window changes: legends after a jump in width, charts between light and dark.
//
// Plotly places a legend before it knows how many lines the new width leaves it, so that it lies on the chart afterwards; laid
// out once more, it lies where it belongs. And a chart has the colours of the theme in which Python drew it.

const KNOWN = "testimate window changes";
const REST = 300; // milliseconds without another change of size
const TURNED = 300; // milliseconds that Streamlit takes to turn to another theme

/** @typedef {HTMLElement & { _fullLayout?: { legend?: { y: number } } }} Chart */
/** @typedef {{ relayout: (chart: Chart, changes: object) => void }} Plotly */
/** @typedef {(name: string, value: unknown) => void} Tell */

/**
 * Places the legends of these charts once more; charts that have none, or are not drawn yet, stay as they are.
 *
 * @param {Chart[]} charts
 * @param {Plotly} plotly
 */
export function layOutLegends(charts, plotly) {
  for (const chart of charts) {
    const legend = chart._fullLayout?.legend;
    if (legend) plotly.relayout(chart, { "legend.y": legend.y });
  }
}

class Watch {
  constructor() {
    /** @type {Tell} */
    this.tell = () => {}; // the page's as it was drawn last
    /** @type {ReturnType<typeof setTimeout> | undefined} */
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
    const { Plotly } = /** @type {{ Plotly?: Plotly }} */ (/** @type {unknown} */ (window));
    if (Plotly) layOutLegends([...document.querySelectorAll(".js-plotly-plot")].map((one) => /** @type {Chart} */ (one)), Plotly);
  }
}

/** @param {{ setTriggerValue: Tell }} component */
export default function ({ setTriggerValue }) {
  const page = /** @type {Record<string, Watch | undefined>} */ (/** @type {unknown} */ (window));
  const watch = page[KNOWN] ??= new Watch();
  watch.tell = setTriggerValue;
}
