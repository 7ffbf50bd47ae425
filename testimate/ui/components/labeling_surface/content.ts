// What is drawn of an input, made once: pictures are decoded ahead so that they appear at once.

import { numbered } from "../elements.ts";
import { boxedPicture } from "./boxes.ts";
import { preparePanes } from "./panes.ts";
import { prepareSeries } from "./series.ts";
import { prepareSound } from "./sound.ts";

import type { Content, Shown } from "./types.ts";

const SMALL = 96; // pixels: pictures up to this size are enlarged crisply

// What the stage and the strip draw, made once; pictures are decoded ahead so that they appear at once.
export function prepare(row: number, shown: Shown): Content {
  if (shown.panes !== undefined) return preparePanes(row, shown.panes, prepare);
  if (shown.audio !== undefined) return prepareSound(row, shown, bytesOf(shown.audio));
  if (shown.series !== undefined) return prepareSeries(row, shown.series);
  if (shown.image === undefined) return { text: shown.text, code: shown.code, cells: shown.cells };
  const bytes = bytesOf(shown.image);
  const url = URL.createObjectURL(new Blob([bytes], { type: "image/png" }));
  const image = new Image();
  image.draggable = false;
  image.decoding = "sync";
  image.alt = `input ${numbered(row)}`;
  image.src = url;
  const content: Content = { image, url, thumbnail: null, broken: false };
  if (shown.boxes) {
    content.boxes = shown.boxes;
    content.overlay = boxedPicture(image, shown.boxes);
  }
  content.ready = image.decode().then(
    () => { content.thumbnail = thumbnailOf(image); },
    () => { content.broken = true; },
  );
  return content;
}

export function isSmall(image: HTMLImageElement) {
  return Math.max(image.naturalWidth, image.naturalHeight) <= SMALL;
}

function thumbnailOf(image: HTMLImageElement) {
  const canvas = document.createElement("canvas");
  const scale = 72 / Math.max(image.naturalWidth, image.naturalHeight, 1);
  canvas.width = Math.max(1, Math.round(image.naturalWidth * scale));
  canvas.height = Math.max(1, Math.round(image.naturalHeight * scale));
  const pen = canvas.getContext("2d");
  if (!pen) return canvas;
  pen.imageSmoothingEnabled = !isSmall(image);
  pen.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}

export function release(content: Content | undefined) {
  content?.sound?.pause();
  content?.panes?.contents.forEach(release);
  if (content && content.url) URL.revokeObjectURL(content.url);
}

function bytesOf(base64: string) {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}
