// While the pointer rests on a point its input is shown beside it; what is not here yet is requested, one at a time.

import { element, part } from "../elements.js";
import { lookOf } from "./small_views.js";
import { placeOf, plotOf, rowOf } from "./plot.js";

/** @import { Chart, Look, Point } from "./types.js" */
/** @typedef {(name: string, row: number) => void} Ask */
/** @typedef {{ plot: string, name: string, looks: Record<string, Look & { lines: string[] }> }} Delivery */

const WAIT = 40; // milliseconds the pointer rests before the server is asked

class MapPointer {
  /** @param {HTMLElement} card */
  constructor(card) {
    this.card = card;
    /** @type {Map<number, Look & { lines: string[] }>} */
    this.known = new Map();
    /** @type {number | null} */
    this.row = null;
    /** @type {number | null} */
    this.asked = null;
    /** @type {Chart | null} */
    this.chart = null;
    this.plot = ""; // the key of the chart
    this.name = ""; // of what is shown
    this.place = { x: 0, y: 0 }; // of the point on the screen
    this.turn = 0; // deliveries until now
    this.closed = false;
    /** @type {Ask} */
    this.ask = () => {};
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.hover = (/** @type {{ points?: Point[], event: MouseEvent }} */ event) => this.over(event);
    this.unhover = () => this.away();
    this.leave = (/** @type {PointerEvent} */ event) => {
      if (this.row !== null && !this.chart?.contains(/** @type {Node} */ (event.target))) this.away();
    };
    this.scroll = () => this.away();
    document.addEventListener("pointermove", this.leave, { passive: true });
    document.addEventListener("scroll", this.scroll, { passive: true, capture: true });
    this.watch = setInterval(() => this.attach(), 300);
  }

  /**
   * @param {Delivery} given
   * @param {Ask} ask
   */
  deliver({ plot, name, looks }, ask) {
    if (name !== this.name) this.known.clear();
    Object.assign(this, { plot, name, ask });
    for (const [row, look] of Object.entries(looks)) this.known.set(Number(row), look);
    this.asked = null;
    this.attach();
    if (this.row !== null) this.show();
  }

  // Streamlit may draw the chart again at any time: then its events are listened to again.
  attach() {
    const chart = plotOf(this.plot);
    if (chart === this.chart && chart?.testimatePointer === this) return;
    this.detach();
    if (!chart?.on) return;
    this.chart = chart;
    chart.testimatePointer = this;
    chart.on("plotly_hover", this.hover);
    chart.on("plotly_unhover", this.unhover);
  }

  detach() {
    this.chart?.removeListener?.("plotly_hover", this.hover);
    this.chart?.removeListener?.("plotly_unhover", this.unhover);
    if (this.chart?.testimatePointer === this) delete this.chart.testimatePointer;
    this.chart = null;
  }

  /** @param {{ points?: Point[], event: MouseEvent }} given */
  over({ points, event }) {
    const row = rowOf(points?.[0]);
    if (row === null) return;
    this.row = row;
    this.place = placeOf(this.chart, row) ?? { x: event.clientX, y: event.clientY };
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.show(), this.known.has(row) ? 0 : WAIT);
  }

  away() {
    clearTimeout(this.timer);
    this.row = null;
    this.card.hidden = true;
  }

  show() {
    if (this.row === null) return;
    const look = this.known.get(this.row);
    if (!look) {
      if (this.asked === null) {
        this.asked = this.row;
        this.ask("asked", this.row);
        setTimeout(() => { this.asked = null; }, 3000); // an answer that got lost does not end it
      }
      return;
    }
    const lines = look.lines.map((line, place) => element("span", place ? "why" : "title", line));
    this.card.replaceChildren(lookOf(look, { silent: true }), ...lines);
    this.card.dataset.row = String(this.row);
    this.card.hidden = false;
    const { width, height } = this.card.getBoundingClientRect();
    const right = this.place.x + 18 + width < innerWidth;
    const left = right ? this.place.x + 18 : this.place.x - 18 - width;
    const top = Math.min(Math.max(8, this.place.y - height / 2), innerHeight - height - 8);
    this.card.style.translate = `${left}px ${top}px`;
  }

  close() {
    clearInterval(this.watch);
    document.removeEventListener("pointermove", this.leave);
    document.removeEventListener("scroll", this.scroll, { capture: true });
    this.away();
    this.detach();
  }
}

/** @type {WeakMap<ParentNode, MapPointer>} */
const POINTERS = new WeakMap(); // by shadow root: Streamlit calls the module again with every delivery

/** @param {{ parentElement: ParentNode, data: Delivery, setTriggerValue: Ask }} given */
export default function ({ parentElement: root, data, setTriggerValue }) {
  const card = part(root, ".pointer");
  let pointer = POINTERS.get(root);
  if (!pointer || pointer.card !== card || pointer.closed) {
    pointer?.close();
    pointer = new MapPointer(card);
    POINTERS.set(root, pointer);
  }
  pointer.deliver(data, setTriggerValue);
  pointer.turn += 1;
  const { turn } = pointer;
  // Streamlit also cleans up after a delivery that a newer one overtook: only the newest delivery may end it
  return () => setTimeout(() => {
    if (turn !== pointer.turn) return;
    pointer.closed = true;
    pointer.close();
  }, 50);
}
