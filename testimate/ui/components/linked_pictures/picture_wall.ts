// A wall of inputs in small; the one under the pointer is ringed on its map.

import { element, numbered, part } from "../elements.ts";
import { filled } from "../mount.ts";
import css from "./linked_pictures.css";
import { lookOf } from "./small_views.ts";
import { placeOf, plotOf } from "./plot.ts";

import type { Given } from "../mount.ts";
import type { Look } from "./types.ts";

const MARKUP = { html: '<div class="wall" role="list"></div><div class="ring" hidden></div>', css };

type Hung = { row: number, look: Look, title: string, why: string, more: string, mark: string };
type Delivery = { items: Hung[], plot: string, size: number, label: string };
export default function ({ parentElement: root, data, setTriggerValue }: Given<Delivery>) {
  const box = filled(root, MARKUP);
  const wall = part(box, ".wall");
  const ring = part(box, ".ring");
  wall.setAttribute("aria-label", data.label);
  wall.style.setProperty("--size", `${data.size}px`);
  const first = data.items[0]?.look ?? {};
  wall.dataset.kind = first.image ? "image" : first.audio ? "audio" : first.text !== undefined ? "text" : "cells";

  const point = (row: number) => {
    const place = placeOf(plotOf(data.plot), row);
    ring.hidden = !place || place.y < 0 || place.y > innerHeight;
    if (place) ring.style.translate = `${place.x}px ${place.y}px`;
  };
  const leave = () => { ring.hidden = true; };

  const items = data.items.map((item) => {
    const frame = element("div", "hung");
    frame.setAttribute("role", "listitem");
    const button = element("button", item.mark);
    button.type = "button";
    button.dataset.row = String(item.row);
    button.title = item.more;
    button.setAttribute("aria-label", `input ${numbered(item.row)}: ${item.title}, ${item.more}`);
    const look = lookOf(item.look);
    const sound = Boolean(item.look.audio);
    if (!sound) button.append(look);
    const words = element("span", "title", item.title);
    if (item.mark === "failed") words.append(element("span", "cross", " ✗"));
    button.append(words);
    if (item.why) button.append(element("span", "why", item.why));
    button.addEventListener("click", () => setTriggerValue("picked", item.row));
    for (const come of ["pointerenter", "focus"]) button.addEventListener(come, () => point(item.row));
    for (const go of ["pointerleave", "blur"]) button.addEventListener(go, leave);
    if (sound) frame.append(look);
    frame.append(button);
    return frame;
  });
  wall.replaceChildren(...items);
  leave();
}
