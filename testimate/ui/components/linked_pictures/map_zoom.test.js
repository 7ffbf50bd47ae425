import assert from "node:assert/strict";
import { test } from "node:test";

import { MapZoom, zoomedEnds } from "./map_zoom.ts";

const axis = (low, high, offset, length) => ({
  range: [low, high], _offset: offset, _length: length, l2p: (value) => ((value - low) / (high - low)) * length,
});

function chart() {
  const layout = { xaxis: axis(0, 10, 30, 500), yaxis: axis(-1, 1, 10, 400), annotations: [] };
  const pressed = [];
  const ends = (one) => [one._rangeInitial0, one._rangeInitial1];
  const button = {
    click() {
      pressed.push([ends(layout.xaxis), ends(layout.yaxis)]);
      for (const name of ["xaxis", "yaxis"]) layout[name] = { ...layout[name] }; // as Plotly: new ones that inherit
    },
  };
  return {
    pressed, _fullLayout: layout, addEventListener: () => {}, on: () => {},
    getBoundingClientRect: () => ({ left: 100, top: 200 }),
    querySelector: (selector) => (selector.startsWith(".modebar") ? button : null),
    querySelectorAll: () => [],
  };
}

globalThis.HTMLElement ??= class {};

test("the place under the pointer stays while the ends come nearer", () => {
  assert.deepEqual(zoomedEnds([0, 10], 0.25, 0.5), [1.25, 6.25]);
  assert.deepEqual(zoomedEnds(zoomedEnds([0, 10], 0.25, 0.5), 0.25, 2), [0, 10]);
});

test("turns add up, the chart is drawn once at the ends they come to, and Plotly's own ends are back", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const [drawn, zoom] = [chart(), new MapZoom(() => {})];
  zoom.attach(drawn);
  const turn = { deltaY: -20, clientX: 100 + 30 + 250, clientY: 200 + 10 + 200 }; // over the middle
  assert.ok(zoom.turn(turn));
  assert.ok(zoom.turn(turn));
  assert.equal(drawn.pressed.length, 0);
  t.mock.timers.tick(200);
  assert.equal(drawn.pressed.length, 1);
  const [[left, right], [bottom, top]] = drawn.pressed[0];
  const half = Math.exp(-0.2);
  for (const [found, expected] of [[left, 5 - 5 * half], [right, 5 + 5 * half], [bottom, -half], [top, half]])
    assert.ok(Math.abs(found - expected) < 1e-12);
  assert.equal(drawn._fullLayout.xaxis._rangeInitial0, undefined);
});

test("beside the points, and where Plotly has no such button, the turn is Plotly's", () => {
  const [drawn, zoom] = [chart(), new MapZoom(() => {})];
  zoom.attach(drawn);
  assert.equal(zoom.turn({ deltaY: -20, clientX: 110, clientY: 300 }), false);
  drawn.querySelector = () => null;
  assert.equal(zoom.turn({ deltaY: -20, clientX: 380, clientY: 410 }), false);
});
