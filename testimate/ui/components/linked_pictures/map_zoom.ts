// Zooming a map by the wheel: what is drawn is stretched at once, and all is drawn again when the wheel rests.
//
// Plotly draws every point again at each turn of the wheel, which takes a browser without a graphics card up to a second.

import type { Chart } from "./types.ts";

// ends of both axes, rising
export type View = { x: [number, number], y: [number, number] };

const REST = 140; // milliseconds without a turn of the wheel, after which the chart is drawn again
const FAR = 4; // times by which it is stretched at most: beyond, little is to be seen
const MOST = 20; // of a turn that counts, and what a turn of 1 does: as Plotly's own
const PER_TURN = 1 / 200;

export class MapZoom {
  moved: () => void;
  chart: Chart | null;
  view: View | null;
  timer: ReturnType<typeof setTimeout> | undefined;
  stretched: Set<HTMLElement | SVGElement>;
  wheel: (event: WheelEvent) => void;
  drawn: () => void;

  /** @param moved called while the view moves */
  constructor(moved: () => void) {
    this.moved = moved;
    this.chart = null;
    // where the view is to be; null while it is where the chart was drawn
    this.view = null;
    this.timer = undefined;
    this.stretched = new Set();
    // the page scrolls over a map as over everything else; with Ctrl, and by two fingers, the map is zoomed
    this.wheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) event.stopPropagation();
      else if (this.turn(event)) {
        event.stopPropagation();
        event.preventDefault();
      }
    };
    this.drawn = () => this.end();
  }

  attach(chart: Chart) {
    this.chart = chart;
    chart.addEventListener("wheel", this.wheel, { capture: true, passive: false });
    chart.on?.("plotly_afterplot", this.drawn);
  }

  detach() {
    this.end();
    this.chart?.removeEventListener("wheel", this.wheel, { capture: true });
    this.chart?.removeListener?.("plotly_afterplot", this.drawn);
    this.chart = null;
  }

  // Whether the turn was taken; one beside the points is Plotly's.
  turn(event: WheelEvent) {
    const layout = this.chart?._fullLayout;
    const button = this.button();
    if (!this.chart || !layout?.xaxis?.range || !layout.yaxis?.range || !button) return false;
    const box = this.chart.getBoundingClientRect();
    const across = (event.clientX - box.left - layout.xaxis._offset) / layout.xaxis._length;
    const up = 1 - (event.clientY - box.top - layout.yaxis._offset) / layout.yaxis._length;
    if (!(across >= 0 && across <= 1 && up >= 0 && up <= 1)) return false;
    const { x, y } = this.view ?? { x: layout.xaxis.range, y: layout.yaxis.range };
    const factor = Math.exp(Math.min(Math.max(event.deltaY, -MOST), MOST) * PER_TURN);
    this.view = { x: zoomedEnds(x, across, factor), y: zoomedEnds(y, up, factor) };
    this.stretch();
    this.moved();
    clearTimeout(this.timer);
    const times = (layout.xaxis.range[1] - layout.xaxis.range[0]) / (this.view.x[1] - this.view.x[0]);
    if (times > FAR || times < 1 / FAR) this.draw();
    else this.timer = setTimeout(() => this.draw(), REST);
    return true;
  }

  // Stretches what is drawn: the points, the shading and the lines under them; names move with their places.
  stretch() {
    const layout = this.chart?._fullLayout;
    if (!this.chart || !this.view || !layout) return;
    const { xaxis, yaxis } = layout;
    const [left, right] = this.view.x;
    const [bottom, top] = this.view.y;
    const wide = (xaxis.range[1] - xaxis.range[0]) / (right - left);
    const high = (yaxis.range[1] - yaxis.range[0]) / (top - bottom);
    const across = ((xaxis.range[0] - left) / (right - left)) * xaxis._length;
    const down = ((top - yaxis.range[1]) / (top - bottom)) * yaxis._length;
    const whole = this.chart.querySelector(".gl-container");
    if (whole instanceof HTMLElement) {
      const end = [whole.clientWidth - xaxis._offset - xaxis._length, whole.clientHeight - yaxis._offset - yaxis._length];
      whole.style.clipPath = `inset(${yaxis._offset}px ${end[0]}px ${end[1]}px ${xaxis._offset}px)`;
      this.stretched.add(whole);
    }
    const [besideX, besideY] = [xaxis._offset * (1 - wide) + across, yaxis._offset * (1 - high) + down];
    this.put(".gl-container canvas", `translate(${besideX}px, ${besideY}px) scale(${wide}, ${high})`);
    this.put(".cartesianlayer .overplot > g > g", `translate(${across}px, ${down}px) scale(${wide}, ${high})`);
    for (const [place, { x, y, xref }] of Array.from(layout.annotations ?? []).entries()) {
      if (xref === "paper" || typeof x !== "number" || typeof y !== "number") continue; // a caption stays where it is
      const before = [xaxis.l2p(x), yaxis.l2p(y)];
      const now = [((x - left) / (right - left)) * xaxis._length, ((top - y) / (top - bottom)) * yaxis._length];
      const inside = now.every((one, axis) => one >= 0 && one <= (axis ? yaxis : xaxis)._length);
      const moved = now.map((one, axis) => `${one - (before[axis] ?? 0)}px`);
      this.put(`.annotation[data-index="${place}"]`, `translate(${moved.join(", ")})`, inside ? "" : "hidden");
    }
  }

  put(selector: string, transform: string, visibility = "") {
    for (const one of ((this.chart?.querySelectorAll(selector) ?? []) as NodeListOf<HTMLElement>)) {
      Object.assign(one.style, { transformOrigin: "0 0", transform, visibility });
      this.stretched.add(one);
    }
  }

  // Only Plotly can draw again, and Streamlit keeps it to itself: its button "Reset axes" goes to the ends it began with.
  draw() {
    const layout = this.chart?._fullLayout;
    const button = this.button();
    if (!this.view || !layout || !button) return this.end();
    const before = [layout.xaxis, layout.yaxis];
    const begun = before.map((axis) => [axis._rangeInitial0, axis._rangeInitial1]);
    const ends = [this.view.x, this.view.y];
    before.forEach((axis, place) => { [axis._rangeInitial0, axis._rangeInitial1] = ends[place] ?? []; });
    button.click();
    // the axes may be others now; those are the ones that go back to where they began
    const after = [this.chart?._fullLayout?.xaxis, this.chart?._fullLayout?.yaxis];
    for (const axes of [before, after]) {
      axes.forEach((axis, place) => { if (axis) [axis._rangeInitial0, axis._rangeInitial1] = begun[place] ?? []; });
    }
  }

  // Where it is drawn again, nothing is stretched any more.
  end() {
    clearTimeout(this.timer);
    this.view = null;
    for (const one of this.stretched) Object.assign(one.style, { clipPath: "", transform: "", transformOrigin: "", visibility: "" });
    this.stretched.clear();
  }

  button(): HTMLElement | null {
    return this.chart?.querySelector(".modebar-btn[data-attr=zoom][data-val=reset]") ?? null;
  }
}

/** @param at which share of the way from the first to the second stays where it is */
export function zoomedEnds([low, high]: [number, number], at: number, factor: number): [number, number] {
  const still = low + (high - low) * at;
  return [still + (low - still) * factor, still + (high - still) * factor];
}
