// An output under judgment: what was asked and what came out, side by side, each scrolled by itself.

import { element, numbered } from "../elements.ts";
import { DAMAGED_SOUND } from "./sound.ts";
import { inBlocks, tableOf, textOf, toRead } from "./written.ts";

import type { Content, Pane, Panes, Shown } from "./types.ts";

// The panes of an input, made once; prepare makes what each of them shows.
export function preparePanes(row: number, panes: Pane[], prepare: (row: number, shown: Shown) => Content): Content {
  const node = element("div", panes.some((pane) => pane.title === "Left" && !pane.further) ? "panes two" : "panes");
  const contents = panes.map((pane) => {
    const content = prepare(row, pane.shown);
    if (pane.pieces?.length) content.text = pane.pieces.map(([words]) => words).join("");
    return content;
  });
  const boxes = panes.map((pane, place) => paneOf(row, pane, contents[place]));
  const asked = boxes.filter((_, place) => panes[place].further || panes[place].title === "Input");
  if (asked.length > 1) { // the columns that the owner chose stand with the input
    const group = element("div", "asked of-input");
    group.append(...asked);
    node.append(group, ...boxes.filter((box) => !asked.includes(box)));
  } else node.append(...boxes);
  const made: Panes = {
    node,
    titles: panes.map((pane) => pane.title),
    contents,
    sounds: contents.flatMap((content) => (content.sound ? [content.sound] : [])),
  };
  const content: Content = { panes: made, text: panes.map((pane) => pane.shown.text ?? "").join("\n") };
  const pictured = contents.find((one) => one.image);
  if (pictured) content.ready = pictured.ready?.then(() => { content.thumbnail = pictured.thumbnail; });
  return content;
}

function paneOf(row: number, pane: Pane, content: Content) {
  const box = element("section", pane.further ? "pane further" : `pane of-${pane.title.toLowerCase()}`);
  box.setAttribute("aria-label", `${pane.title} of input ${numbered(row)}`);
  const head = element("header", "pane-title", pane.title);
  if (pane.pieces) head.append(keyOf(pane.title, pane.pieces));
  const body = element("div", "pane-body");
  body.append(bodyOf(row, pane, content));
  box.append(head, body);
  if (pane.note) box.append(element("p", "pane-note", pane.note));
  content.ready?.then(() => { if (content.broken) body.replaceChildren(bodyOf(row, pane, content)); });
  return box;
}

// What the marks mean; where there are none, that the texts are the same.
function keyOf(title: string, pieces: [string, boolean][]) {
  const other = title === "Reference" ? "output" : "reference";
  if (pieces.some(([, lacking]) => lacking)) return element("span", "pane-key marks", `not in the ${other}`);
  return element("span", "pane-key", `all of it is in the ${other}`);
}

function bodyOf(row: number, pane: Pane, content: Content): HTMLElement {
  if (content.sound) return content.broken ? element("p", "unseen", DAMAGED_SOUND) : content.sound.node;
  if (content.broken) return element("p", "unseen", "This picture can't be shown. Its data are damaged.");
  if (content.image) return content.image;
  if (content.cells) return tableOf(content.cells, row);
  const called = `${pane.title} of input ${numbered(row)}`;
  if (pane.pieces?.length) return markedText(pane.pieces, called, content.code);
  if (!content.text?.trim()) return element("p", "unseen", "Empty: there is no text.");
  const text = textOf(content.text, called, content.code);
  text.classList.remove("short");
  return text;
}

function markedText(pieces: [string, boolean][], called: string, code = false) {
  const text = inBlocks(pieces);
  if (code) text.classList.add("code");
  return toRead(text, called);
}
