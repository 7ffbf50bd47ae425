// Clicks and lassos on a map go to the server as a row and as corners; the point that was clicked keeps a ring.

import { numbered, part } from "../elements.ts";
import { mount } from "../mount.ts";
import css from "./linked_pictures.css";
import { cornersOf, placeOf, plotOf, rowOf } from "./plot.ts";

import type { Given, Tell } from "../mount.ts";
import type { Chart, Ends, Point } from "./types.ts";


class MapPicks {
  ring: HTMLElement;
  marked: number | null;
  chart: Chart | null;
  plot: string;
  closed: boolean;
  tell: Tell;
  click: ({ points }: { points?: Point[]; }) => void;
  select: (event: { lassoPoints?: Ends; range?: Ends; } | undefined) => void;
  place: () => void;
  watch: number;

  constructor(ring: HTMLElement) {
    this.ring = ring;
    this.marked = null;
    this.chart = null;
    this.plot = ""; // the key of the chart
    this.closed = false;
    this.tell = () => {};
    // Streamlit takes no click as a pick while the lasso is chosen
    this.click = ({ points }: { points?: Point[] }) => {
      const row = rowOf(points?.[0]);
      if (row === null) return;
      this.marked = row;
      this.place();
      this.tell("clicked", row);
    };
    this.select = (event: { lassoPoints?: Ends, range?: Ends } | undefined) => {
      const corners = cornersOf(event);
      if (corners.length) this.tell("lassoed", corners);
    };
    this.place = () => this.placeRing();
    document.addEventListener("scroll", this.place, { passive: true, capture: true });
    window.addEventListener("resize", this.place, { passive: true });
    this.watch = setInterval(() => { this.attach(); this.placeRing(); }, 300);
  }

  deliver({ plot, marked }: { plot: string, marked: number | null }, tell: Tell) {
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
    this.ring.setAttribute("aria-label", this.marked === null ? "" : `The point of input ${numbered(this.marked)}`);
  }

  close() {
    this.closed = true;
    clearInterval(this.watch);
    document.removeEventListener("scroll", this.place, { capture: true });
    window.removeEventListener("resize", this.place);
    this.detach();
  }
}

const MARKUP = { html: '<div class="ring marked" hidden role="img"></div>', css };

export default function ({ parentElement, data, setTriggerValue }: Given<{ plot: string, marked: number | null }>) {
  const make = (box: HTMLElement) => new MapPicks(part(box, ".ring"));
  return mount(parentElement, MARKUP, make, (picks) => picks.deliver(data, setTriggerValue));
}
