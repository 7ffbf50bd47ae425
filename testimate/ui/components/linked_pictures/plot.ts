// The chart that Streamlit drew under a key, and where on the screen the point of a row lies.

import type { Chart, Ends, Point } from "./types.ts";

export function plotOf(key: string): Chart | null {
  return key ? document.querySelector(`.st-key-${CSS.escape(key)} .js-plotly-plot`) : null;
}

export function rowOf(point: Point | undefined) {
  const data = point?.customdata;
  const row = Number(Array.isArray(data) ? data[0] : data);
  return data === undefined || data === null || !Number.isInteger(row) ? null : row;
}

export function placeOf(chart: Chart | null, row: number) {
  const layout = chart?._fullLayout;
  if (!chart || !layout?.xaxis?.l2p || !layout?.yaxis?.l2p) return null;
  for (const trace of chart._fullData ?? []) {
    if (trace.visible !== true || !trace.customdata || trace.x === undefined) continue;
    const place = Array.prototype.findIndex.call(trace.customdata, (one) => Number(Array.isArray(one) ? one[0] : one) === row);
    if (place < 0) continue;
    const across = layout.xaxis.l2p(trace.x[place]);
    const down = layout.yaxis.l2p(trace.y[place]);
    if (!(across >= 0 && across <= layout.xaxis._length && down >= 0 && down <= layout.yaxis._length)) return null;
    const box = chart.getBoundingClientRect();
    return { x: box.left + layout.xaxis._offset + across, y: box.top + layout.yaxis._offset + down };
  }
  return null;
}

// Whether one has zoomed into the chart, so that it shows a part of what is on it.
export function zoomed(chart: Chart | null) {
  const layout = chart?._fullLayout;
  return Boolean(layout?.xaxis?.range && layout.yaxis?.range) && !(layout?.xaxis.autorange && layout.yaxis.autorange);
}

/** @returns left, right, bottom and top in the chart's units, width and height in pixels */
export function viewOf(chart: Chart | null): number[] | null {
  const layout = chart?._fullLayout;
  if (!layout?.xaxis?.range || !layout.yaxis?.range) return null;
  const [left, right] = layout.xaxis.range;
  const [bottom, top] = layout.yaxis.range;
  return [left, right, bottom, top, layout.xaxis._length, layout.yaxis._length];
}

// The color of the points of these rows; null where the legend hides the point. A row whose point is not drawn, or
// whose color is a shade of a scale, is left out.
export function colorsOf(chart: Chart | null, rows: Set<number>) {
  const found: Map<number, string | null> = new Map();
  if (!rows.size) return found;
  for (const trace of chart?._fullData ?? []) {
    const color = trace.visible === true ? trace.marker?.color : null;
    if (!trace.customdata || trace.marker?.symbol?.toString().endsWith("-open")) continue; // a frame
    for (const one of Array.from(trace.customdata)) {
      const row = Number(Array.isArray(one) ? one[0] : one);
      if (rows.has(row) && (color === null || typeof color === "string")) found.set(row, color);
    }
  }
  return found;
}

/** @returns the corners of a lasso or a box, in the chart's units */
export function cornersOf(event: { lassoPoints?: Ends, range?: Ends } | undefined): number[][] {
  if (event?.lassoPoints) {
    const { x, y } = event.lassoPoints;
    return x.map((across, place) => [across, y[place] ?? 0]);
  }
  if (!event?.range) return [];
  const [left = 0, right = 0] = event.range.x;
  const [bottom = 0, top = 0] = event.range.y;
  return [[left, bottom], [right, bottom], [right, top], [left, top]];
}
