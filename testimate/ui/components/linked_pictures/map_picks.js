// Clicks and lassos on a map go to the server as a row and as corners; the point that was clicked keeps a ring.

import { part } from "../elements.js";
import { cornersOf, placeOf, plotOf, rowOf } from "./plot.js";

/** @import { Chart, Ends, Point } from "./types.js" */
/** @typedef {(name: string, value: unknown) => void} Tell */

class MapPicks {
  /** @param {HTMLElement} ring */
  constructor(ring) {
    this.ring = ring;
    /** @type {number | null} */
    this.marked = null;
    /** @type {Chart | null} */
    this.chart = null;
    this.plot = ""; // the key of the chart
    this.turn = 0; // deliveries until now
    this.closed = false;
    /** @type {Tell} */
    this.tell = () => {};
    // Streamlit takes no click as a pick while the lasso is chosen
    this.click = (/** @type {{ points?: Point[] }} */ { points }) => {
      const row = rowOf(points?.[0]);
      if (row === null) return;
      this.marked = row;
      this.place();
      this.tell("clicked", row);
    };
    this.select = (/** @type {{ lassoPoints?: Ends, range?: Ends } | undefined} */ event) => {
      const corners = cornersOf(event);
      if (corners.length) this.tell("lassoed", corners);
    };
    this.place = () => this.placeRing();
    document.addEventListener("scroll", this.place, { passive: true, capture: true });
    window.addEventListener("resize", this.place, { passive: true });
    this.watch = setInterval(() => { this.attach(); this.placeRing(); }, 300);
  }

  /**
   * @param {{ plot: string, marked: number | null }} given
   * @param {Tell} tell
   */
  deliver({ plot, marked }, tell) {
    Object.assign(this, { plot, marked, tell });
    this.attach();
    this.placeRing();
  }

  // Streamlit may draw the chart again at any time: then its events are listened to again.
  attach() {
    const chart = plotOf(this.plot);
    if (chart === this.chart && chart?.testimatePicks === this) return;
    this.detach();
    if (!chart?.on) return;
    this.chart = chart;
    chart.testimatePicks = this;
    chart.on("plotly_click", this.click);
    chart.on("plotly_selected", this.select);
    chart.on("plotly_afterplot", this.place);
  }

  detach() {
    this.chart?.removeListener?.("plotly_click", this.click);
    this.chart?.removeListener?.("plotly_selected", this.select);
    this.chart?.removeListener?.("plotly_afterplot", this.place);
    if (this.chart?.testimatePicks === this) delete this.chart.testimatePicks;
    this.chart = null;
  }

  placeRing() {
    const place = this.marked === null ? null : placeOf(this.chart, this.marked);
    this.ring.hidden = !place || place.y < 60 || place.y > innerHeight; // 60 pixels: the app's header lies there
    if (place) this.ring.style.translate = `${place.x}px ${place.y}px`;
    this.ring.dataset.row = String(this.marked ?? "");
    this.ring.setAttribute("aria-label", this.marked === null ? "" : `The point of input ${this.marked}`);
  }

  close() {
    clearInterval(this.watch);
    document.removeEventListener("scroll", this.place, { capture: true });
    window.removeEventListener("resize", this.place);
    this.detach();
  }
}

/** @type {WeakMap<ParentNode, MapPicks>} */
const PICKS = new WeakMap(); // by shadow root: Streamlit calls the module again with every delivery

/** @param {{ parentElement: ParentNode, data: { plot: string, marked: number | null }, setTriggerValue: Tell }} given */
export default function ({ parentElement: root, data, setTriggerValue }) {
  const ring = part(root, ".ring");
  let picks = PICKS.get(root);
  if (!picks || picks.ring !== ring || picks.closed) {
    picks?.close();
    picks = new MapPicks(ring);
    PICKS.set(root, picks);
  }
  picks.deliver(data, setTriggerValue);
  picks.turn += 1;
  const { turn } = picks;
  // Streamlit also cleans up after a delivery that a newer one overtook: only the newest delivery may end it
  return () => setTimeout(() => {
    if (turn !== picks.turn) return;
    picks.closed = true;
    picks.close();
  }, 50);
}
