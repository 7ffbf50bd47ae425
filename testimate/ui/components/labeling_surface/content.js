// What is drawn of an input, made once: pictures are decoded ahead so that they appear at once.

import { boxedPicture } from "./boxes.js";
import { preparePanes } from "./panes.js";
import { prepareSeries } from "./series.js";
import { prepareSound } from "./sound.js";

/** @import { Content, Shown } from "./types.js" */

const SMALL = 96; // pixels: pictures up to this size are enlarged crisply

/**
 * What the stage and the strip draw, made once; pictures are decoded ahead so that they appear at once.
 *
 * @param {number} row
 * @param {Shown} shown
 * @returns {Content}
 */
export function prepare(row, shown) {
  if (shown.panes !== undefined) return preparePanes(row, shown.panes, prepare);
  if (shown.audio !== undefined) return prepareSound(row, shown, bytesOf(shown.audio));
  if (shown.series !== undefined) return prepareSeries(row, shown.series);
  if (shown.image === undefined) return { text: shown.text, cells: shown.cells };
  const bytes = bytesOf(shown.image);
  const url = URL.createObjectURL(new Blob([bytes], { type: "image/png" }));
  const image = new Image();
  image.draggable = false;
  image.decoding = "sync";
  image.alt = `input ${row}`;
  image.src = url;
  /** @type {Content} */
  const content = { image, url, thumbnail: null, broken: false };
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

/** @param {HTMLImageElement} image */
export function isSmall(image) {
  return Math.max(image.naturalWidth, image.naturalHeight) <= SMALL;
}

/** @param {HTMLImageElement} image */
function thumbnailOf(image) {
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

/** @param {Content | undefined} content */
export function release(content) {
  content?.sound?.pause();
  content?.panes?.contents.forEach(release);
  if (content && content.url) URL.revokeObjectURL(content.url);
}

/** @param {string} base64 */
function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}
