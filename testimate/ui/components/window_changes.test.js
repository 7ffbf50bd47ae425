import assert from "node:assert/strict";
import { test } from "node:test";

import { layOutLegends } from "./window_changes.ts";

test("legends are placed again where they were, and charts without one are left alone", () => {
  const done = [];
  const plotly = { relayout: (chart, changes) => done.push([chart.name, changes]) };
  const chart = (name, layout) => ({ name, _fullLayout: layout });
  layOutLegends([chart("one", { legend: { y: 1.02 } }), chart("none", {}), { name: "not drawn yet" }], plotly);
  assert.deepEqual(done, [["one", { "legend.y": 1.02 }]]);
});
