// Inputs as small pictures over the points of a map that one has zoomed into; which ones, the server says for each view.

import { element } from "../elements.ts";
import { mount } from "../mount.ts";
import css from "./linked_pictures.css";
import { MapZoom } from "./map_zoom.ts";
import { colorsOf, plotOf, viewOf, zoomed } from "./plot.ts";

import type { Given, Tell } from "../mount.ts";
import type { Chart, Picture } from "./types.ts";

type Delivery = { plot: string, name: string, on: boolean, side: number, pictures: Picture[] };

const WAIT = 120; // milliseconds a view stays before the server is asked

class MapPictures {
  layer: HTMLDivElement;
  chart: Chart | null;
  plot: string;
  name: string;
  on: boolean;
  side: number;
  asked: string;
  closed: boolean;
  pictures: Picture[];
  tell: Tell;
  timer: ReturnType<typeof setTimeout> | undefined;
  move: () => void;
  drawn: () => void;
  zoom: MapZoom;
  watch: number;

  constructor() {
    this.layer = element("div", "map-pictures");
    Object.assign(this.layer.style, { position: "absolute", overflow: "hidden", pointerEvents: "none" });
    this.chart = null;
    this.plot = ""; // the key of the chart
    this.name = ""; // of what is shown
    this.on = false;
    this.side = 0;
    this.asked = ""; // the view that was asked for last
    this.closed = false;
    this.pictures = [];
    this.tell = () => {};
    this.timer = undefined;
    this.move = () => this.place();
    this.drawn = () => { this.draw(); this.look(); };
    this.zoom = new MapZoom(() => this.place());
    this.watch = setInterval(() => this.attach(), 300);
  }

  deliver({ plot, name, on, side, pictures }: Delivery, tell: Tell) {
    if (name !== this.name || on !== this.on) this.asked = "";
    Object.assign(this, { plot, name, on, side, pictures, tell });
    this.attach();
    this.draw();
    this.look();
  }

  // Streamlit may draw the chart again at any time: then its events are listened to again.
  attach() {
    const chart = plotOf(this.plot);
    if (chart === this.chart && chart?.testimatePictures === this) return;
    this.detach();
    if (!chart?.on) return;
    this.chart = chart;
    chart.testimatePictures = this;
    this.zoom.attach(chart);
    chart.on("plotly_relayouting", this.move);
    chart.on("plotly_afterplot", this.drawn);
    this.drawn();
  }

  detach() {
    this.layer.remove();
    this.zoom.detach();
    this.chart?.removeListener?.("plotly_relayouting", this.move);
    this.chart?.removeListener?.("plotly_afterplot", this.drawn);
    if (this.chart?.testimatePictures === this) delete this.chart.testimatePictures;
    this.chart = null;
  }

  // Asks for what is in view, once it stays.
  look() {
    clearTimeout(this.timer);
    if (!this.on || !zoomed(this.chart)) return;
    this.timer = setTimeout(() => {
      const view = zoomed(this.chart) ? viewOf(this.chart) : null;
      if (!view || String(view) === this.asked) return;
      this.asked = String(view);
      this.tell("seen", view);
    }, WAIT);
  }

  draw() {
    const shown = this.on && zoomed(this.chart) ? this.pictures : [];
    const colors = colorsOf(this.chart, new Set(shown.map(({ row }) => row)));
    const images = shown.filter(({ row }) => colors.get(row) !== null).map((picture) => {
      const image = element("img");
      image.src = `data:image/png;base64,${picture.image}`;
      image.alt = "";
      image.dataset.row = String(picture.row);
      Object.assign(image.style, {
        position: "absolute", left: "0", top: "0", boxSizing: "border-box", width: `${this.side}px`, height: `${this.side}px`,
        objectFit: "contain", borderRadius: "3px", border: `2px solid ${colors.get(picture.row) ?? "#888"}`,
        background: "var(--st-background-color, #fff)", imageRendering: picture.crisp ? "pixelated" : "auto",
      });
      return image;
    });
    this.layer.replaceChildren(...images);
    const under = this.chart?.querySelector(".svg-container > .main-svg ~ .main-svg"); // what names and legend are in
    if (under && this.layer.nextElementSibling !== under) under.before(this.layer);
    this.place();
  }

  place() {
    const layout = this.chart?._fullLayout;
    if (!layout?.xaxis?.range || !layout.yaxis?.range) return;
    const { xaxis, yaxis } = layout;
    Object.assign(this.layer.style, {
      left: `${xaxis._offset}px`, top: `${yaxis._offset}px`, width: `${xaxis._length}px`, height: `${yaxis._length}px`,
    });
    const [left, right] = this.zoom.view?.x ?? xaxis.range;
    const [bottom, top] = this.zoom.view?.y ?? yaxis.range;
    const places = new Map(this.pictures.map((picture) => [String(picture.row), picture]));
    for (const image of (this.layer.children as HTMLCollectionOf<HTMLElement>)) {
      const picture = places.get(image.dataset.row ?? "");
      if (!picture) continue;
      const across = ((picture.x - left) / (right - left)) * xaxis._length - this.side / 2;
      const down = ((top - picture.y) / (top - bottom)) * yaxis._length - this.side / 2;
      image.style.transform = `translate(${across}px, ${down}px)`;
    }
  }

  close() {
    this.closed = true;
    clearInterval(this.watch);
    clearTimeout(this.timer);
    this.detach();
  }
}

const MARKUP = { html: '<div class="pictures" hidden aria-hidden="true"></div>', css };

export default function ({ parentElement, data, setTriggerValue }: Given<Delivery>) {
  const make = () => new MapPictures();
  return mount(parentElement, MARKUP, make, (pictures) => pictures.deliver(data, setTriggerValue));
}
