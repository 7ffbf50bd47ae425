// A series under judgment: a line for each channel over one axis of places, zoomed and dragged like a picture (decision 245).

import { element, numbered } from "../elements.ts";

import type { Content, SeriesData } from "./types.ts";

const COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b07a00", "#56b4e9"]; // Okabe and Ito's, safe for the color-blind
const DASHES = [[], [6, 3], [2, 3]]; // beyond six channels the lines differ by their dashes
const MOST_NAMED = 12; // channels in the legend
const LEFT = 56; // pixels beside the lines, for the numbers of their axis
const BELOW = 36;
const FEWEST = 8; // values that the deepest zoom shows

export class Plot {
  series: SeriesData;
  at: number[];
  from: number;
  to: number;
  low: number;
  high: number;
  canvas: HTMLCanvasElement;
  node: HTMLDivElement;

  constructor(row: number, series: SeriesData) {
    this.series = series;
    this.at = series.at ?? series.channels[0].map((_, place) => place);
    this.from = 0;
    this.to = Math.max(1, series.length - 1);
    const [low, high] = endsOf(series.channels);
    this.low = low;
    this.high = high;
    this.canvas = element("canvas", "lines");
    const count = series.channels.length;
    const words = `series of input ${numbered(row)}: ${inWords(series.length, "place")}, ${inWords(count, "channel")}`;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `${words}, from ${short(this.low)} to ${short(this.high)}`);
    this.node = element("div", "series");
    this.node.append(this.canvas);
    if (count > 1) this.node.append(this.legend());
    if (series.at) {
      const each = series.at.find((place) => place > 0) ?? 1;
      this.node.append(element("p", "axis", `${inWords(series.length, "value")}: of each ${each} the least and the greatest are drawn`));
    }
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  legend() {
    const { channels } = this.series;
    const names = channels.slice(0, MOST_NAMED).map((_, place) => {
      const name = element("span", "channel", `${place}`);
      name.style.setProperty("--line-color", COLORS[place % COLORS.length]);
      return name;
    });
    const more = channels.length > MOST_NAMED ? [element("span", "", `and ${channels.length - MOST_NAMED} more`)] : [];
    const legend = element("p", "axis legend", "");
    legend.append("channel ", ...names, ...more);
    return legend;
  }

  get whole() {
    return Math.max(1, this.series.length - 1);
  }

  fit() {
    this.from = 0;
    this.to = this.whole;
    this.draw();
  }

  // Zooms about a place of the stage, as a share of the axis from its left end.
  zoom(factor: number, share = 0.5) {
    const span = Math.min(this.whole, Math.max(Math.min(FEWEST, this.whole), (this.to - this.from) / factor));
    const about = this.from + share * (this.to - this.from);
    this.look(about - share * span, span);
  }

  // Drags by a share of the axis.
  drag(share: number) {
    const span = this.to - this.from;
    this.look(this.from - share * span, span);
  }

  look(from: number, span: number) {
    this.from = Math.min(Math.max(0, from), this.whole - span);
    this.to = this.from + span;
    this.draw();
  }

  // The share of the axis at a place of the window.
  shareAt(clientX: number) {
    const box = this.canvas.getBoundingClientRect();
    return Math.min(1, Math.max(0, (clientX - box.left - LEFT) / Math.max(1, box.width - LEFT)));
  }

  draw() {
    const { canvas } = this;
    const pen = canvas.getContext("2d");
    if (!pen || !canvas.clientWidth) return;
    canvas.width = canvas.clientWidth * devicePixelRatio;
    canvas.height = canvas.clientHeight * devicePixelRatio;
    pen.scale(devicePixelRatio, devicePixelRatio);
    const [width, height] = [canvas.clientWidth - LEFT - 8, canvas.clientHeight - BELOW - 8];
    const x = (place: number) => LEFT + ((place - this.from) / (this.to - this.from)) * width;
    const y = (value: number) => 8 + ((this.high - value) / (this.high - this.low)) * height;
    this.drawAxes(pen, x, y, width, height);
    pen.save();
    pen.beginPath();
    pen.rect(LEFT, 0, width, height + 16);
    pen.clip();
    const ink = getComputedStyle(canvas).color;
    this.series.channels.forEach((channel, place) => {
      pen.strokeStyle = `color-mix(in srgb, ${COLORS[place % COLORS.length]} 70%, ${ink})`; // light enough on a dark page
      pen.setLineDash(DASHES[Math.floor(place / COLORS.length) % DASHES.length]);
      pen.lineWidth = 1.4;
      pen.beginPath();
      let on = false;
      const first = Math.max(0, this.at.findIndex((at) => at >= this.from) - 2);
      for (let i = first; i < channel.length && this.at[i - 2 < 0 ? 0 : i - 2] <= this.to; i++) {
        const value = channel[i];
        if (value === null) { on = false; continue; } // a gap where there is no number
        if (on) pen.lineTo(x(this.at[i]), y(value));
        else pen.moveTo(x(this.at[i]), y(value));
        on = true;
      }
      pen.stroke();
    });
    pen.restore();
  }

  drawAxes(
    pen: CanvasRenderingContext2D,
    x: (place: number) => number,
    y: (value: number) => number,
    width: number,
    height: number,
  ) {
    const style = getComputedStyle(this.canvas);
    pen.font = `12px ${style.fontFamily}`;
    pen.fillStyle = style.color;
    pen.strokeStyle = style.color;
    pen.globalAlpha = 0.25;
    pen.strokeRect(LEFT, 8, width, height);
    pen.globalAlpha = 1;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const value of [this.low, (this.low + this.high) / 2, this.high]) pen.fillText(short(value), LEFT - 6, y(value));
    pen.textBaseline = "top";
    for (const share of [0, 0.5, 1]) {
      const place = this.from + share * (this.to - this.from);
      pen.textAlign = share === 0 ? "left" : share === 1 ? "right" : "center";
      pen.fillText(String(Math.round(place)), x(place), height + 12);
    }
    pen.textAlign = "center";
    pen.fillText("place in the series", x(this.from + 0.25 * (this.to - this.from)), height + 12);
  }
}

// The least and the greatest value of all channels, a little apart where they are one.
function endsOf(channels: (number | null)[][]): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const channel of channels) {
    for (const value of channel) {
      if (value === null) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  if (low > high) return [0, 1];
  return low === high ? [low - 1, high + 1] : [low, high];
}

function short(value: number) {
  return String(Number(value.toPrecision(3)));
}

function inWords(count: number, what: string) {
  return `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;
}

export function prepareSeries(row: number, series: SeriesData): Content {
  return { plot: new Plot(row, series) };
}
