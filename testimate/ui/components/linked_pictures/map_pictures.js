// Inputs as small pictures over the points of a map that one has zoomed into; which ones, the server says for each view.

import { element } from "../elements.js";
import { MapZoom } from "./map_zoom.js";
import { coloursOf, plotOf, viewOf, zoomed } from "./plot.js";

/** @import { Chart, Picture } from "./types.js" */
/** @typedef {{ plot: string, name: string, on: boolean, side: number, pictures: Picture[] }} Delivery */
/** @typedef {(name: string, value: unknown) => void} Tell */

const WAIT = 120; // milliseconds a view stays before the server is asked

class MapPictures {
  constructor() {
    this.layer = element("div", "map-pictures");
    Object.assign(this.layer.style, { position: "absolute", overflow: "hidden", pointerEvents: "none" });
    /** @type {Chart | null} */
    this.chart = null;
    this.plot = ""; // the key of the chart
    this.name = ""; // of what is shown
    this.on = false;
    this.side = 0;
    this.asked = ""; // the view that was asked for last
    this.turn = 0; // deliveries until now
    this.closed = false;
    /** @type {Picture[]} */
    this.pictures = [];
    /** @type {Tell} */
    this.tell = () => {};
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.move = () => this.place();
    this.drawn = () => { this.draw(); this.look(); };
    this.zoom = new MapZoom(() => this.place());
    this.watch = setInterval(() => this.attach(), 300);
  }

  /**
   * @param {Delivery} given
   * @param {Tell} tell
   */
  deliver({ plot, name, on, side, pictures }, tell) {
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
    const colours = coloursOf(this.chart, new Set(shown.map(({ row }) => row)));
    const images = shown.filter(({ row }) => colours.get(row) !== null).map((picture) => {
      const image = element("img");
      image.src = `data:image/png;base64,${picture.image}`;
      image.alt = "";
      image.dataset.row = String(picture.row);
      Object.assign(image.style, {
        position: "absolute", left: "0", top: "0", boxSizing: "border-box", width: `${this.side}px`, height: `${this.side}px`,
        objectFit: "contain", borderRadius: "3px", border: `2px solid ${colours.get(picture.row) ?? "#888"}`,
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
    for (const image of /** @type {HTMLCollectionOf<HTMLElement>} */ (this.layer.children)) {
      const picture = places.get(image.dataset.row ?? "");
      if (!picture) continue;
      const across = ((picture.x - left) / (right - left)) * xaxis._length - this.side / 2;
      const down = ((top - picture.y) / (top - bottom)) * yaxis._length - this.side / 2;
      image.style.transform = `translate(${across}px, ${down}px)`;
    }
  }

  close() {
    clearInterval(this.watch);
    clearTimeout(this.timer);
    this.detach();
  }
}

/** @type {WeakMap<ParentNode, MapPictures>} */
const PICTURES = new WeakMap(); // by shadow root: Streamlit calls the module again with every delivery

/** @param {{ parentElement: ParentNode, data: Delivery, setTriggerValue: Tell }} given */
export default function ({ parentElement: root, data, setTriggerValue }) {
  let pictures = PICTURES.get(root);
  if (!pictures || pictures.closed) {
    pictures = new MapPictures();
    PICTURES.set(root, pictures);
  }
  pictures.deliver(data, setTriggerValue);
  pictures.turn += 1;
  const { turn } = pictures;
  // Streamlit also cleans up after a delivery that a newer one overtook: only the newest delivery may end it
  return () => setTimeout(() => {
    if (turn !== pictures.turn) return;
    pictures.closed = true;
    pictures.close();
  }, 50);
}
