// While the pointer rests on a point its input is shown beside it; what is not here yet is requested, one at a time.

import { element, part } from "../elements.ts";
import { mount } from "../mount.ts";
import css from "./linked_pictures.css";
import { lookOf } from "./small_views.ts";
import { placeOf, plotOf, rowOf } from "./plot.ts";

import type { Given, Tell } from "../mount.ts";
import type { Chart, Look, Point } from "./types.ts";

type Delivery = { plot: string, name: string, looks: Record<string, Look & { lines: string[] }> };

const WAIT = 40; // milliseconds the pointer rests before the server is asked

class MapPointer {
  card: HTMLElement;
  known: Map<number, Look & { lines: string[] }>;
  row: number | null;
  asked: number | null;
  chart: Chart | null;
  plot: string;
  name: string;
  place: { x: number; y: number; };
  closed: boolean;
  ask: Tell;
  timer: ReturnType<typeof setTimeout> | undefined;
  hover: (event: { points?: Point[]; event: MouseEvent; }) => void;
  unhover: () => void;
  leave: (event: PointerEvent) => void;
  scroll: () => void;
  watch: number;

  constructor(card: HTMLElement) {
    this.card = card;
    this.known = new Map();
    this.row = null;
    this.asked = null;
    this.chart = null;
    this.plot = ""; // the key of the chart
    this.name = ""; // of what is shown
    this.place = { x: 0, y: 0 }; // of the point on the screen
    this.closed = false;
    this.ask = () => {};
    this.timer = undefined;
    this.hover = (event: { points?: Point[], event: MouseEvent }) => this.over(event);
    this.unhover = () => this.away();
    this.leave = (event: PointerEvent) => {
      if (this.row !== null && !this.chart?.contains(event.target as Node)) this.away();
    };
    this.scroll = () => this.away();
    document.addEventListener("pointermove", this.leave, { passive: true });
    document.addEventListener("scroll", this.scroll, { passive: true, capture: true });
    this.watch = setInterval(() => this.attach(), 300);
  }

  deliver({ plot, name, looks }: Delivery, ask: Tell) {
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

  over({ points, event }: { points?: Point[], event: MouseEvent }) {
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
    this.closed = true;
    clearInterval(this.watch);
    document.removeEventListener("pointermove", this.leave);
    document.removeEventListener("scroll", this.scroll, { capture: true });
    this.away();
    this.detach();
  }
}

const MARKUP = { html: '<div class="pointer" hidden aria-hidden="true"></div>', css };

export default function ({ parentElement, data, setTriggerValue }: Given<Delivery>) {
  const make = (box: HTMLElement) => new MapPointer(part(box, ".pointer"));
  return mount(parentElement, MARKUP, make, (pointer) => pointer.deliver(data, setTriggerValue));
}
