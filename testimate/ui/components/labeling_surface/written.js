// What is read: texts and source code as they are written, and the cells of a table row. Nothing of it is ever markup.

import { element } from "../elements.js";
import { codeOf, isCode } from "./source_code.js";

/**
 * A text that can be scrolled, larger where it is short.
 *
 * @param {string} words
 * @param {string} called what it is, for those who listen
 * @returns {HTMLElement}
 */
export function textOf(words, called) {
  const text = isCode(words) ? codeOf(words) : inBlocks([[words, false]]);
  if (words.length <= 90 && !words.includes("\n")) text.classList.add("short");
  return toRead(text, called);
}

/**
 * Makes a text one that can be reached and scrolled by keys; a screen reader reads it when it gets the focus.
 *
 * @param {HTMLElement} text
 * @param {string} called what it is, for those who listen
 */
export function toRead(text, called) {
  text.dir = "auto";
  text.tabIndex = 0;
  text.setAttribute("role", "document");
  text.setAttribute("aria-label", called);
  return text;
}

const BLOCK = 1500; // letters after which the next line begins a block
const AT_ONCE = 8000; // letters of one line that are laid out with the frame; they fill any screen

/**
 * A text in pieces, those that another text lacks marked. It stands in blocks of whole lines, of which the browser lays out
 * only those that are seen, and of a line that is longer than any screen the rest follows once its beginning is drawn: a text
 * of 20,000 letters appears as fast as a short one.
 *
 * @param {[string, boolean][]} pieces
 * @returns {HTMLElement}
 */
export function inBlocks(pieces) {
  const text = element("pre");
  let block = element("span", "block");
  /** @type {Node[]} */
  let rest = [];
  let letters = 0;
  const endBlock = () => {
    text.append(block);
    if (rest.length) onceSeen(text, block, rest);
    block = element("span", "block");
    rest = [];
    letters = 0;
  };
  for (const [words, lacking] of pieces) {
    for (const line of words.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
      const cut = placeToCut(line, AT_ONCE - letters);
      for (const [part, late] of /** @type {[string, boolean][]} */ ([[line.slice(0, cut), false], [line.slice(cut), true]])) {
        const node = lacking ? element("mark", "", part) : document.createTextNode(part);
        if (part && late) rest.push(node);
        else if (part) block.append(node);
      }
      letters += line.length;
      if (letters >= BLOCK && line.endsWith("\n")) endBlock();
    }
  }
  endBlock();
  return text;
}

/**
 * Where a line may be cut once that many letters stand: behind the next space, or else between two whole characters.
 *
 * @param {string} line
 * @param {number} after
 */
function placeToCut(line, after) {
  if (line.length <= after) return line.length;
  if (after <= 0) return 0;
  const space = line.indexOf(" ", after);
  if (space >= 0) return space + 1;
  return /[\uDC00-\uDFFF]/.test(line[after]) ? after + 1 : after;
}

/**
 * Gives a block its rest after the first frame in which the text is seen; before that it is only made ready.
 *
 * @param {HTMLElement} text
 * @param {HTMLElement} block
 * @param {Node[]} rest
 */
function onceSeen(text, block, rest) {
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    block.append(...rest);
  });
  observer.observe(text);
}

/**
 * @param {[string, string][]} cells
 * @param {number} row
 */
export function tableOf(cells, row) {
  const table = document.createElement("table");
  table.tabIndex = 0; // a long one is scrolled by the arrow keys
  table.setAttribute("aria-label", `table row of input ${row}`);
  for (const [name, value] of cells) {
    const line = table.insertRow();
    const head = element("th", "", name);
    head.scope = "row";
    head.dir = "auto";
    line.append(head, cellOf(value));
  }
  return table;
}

/**
 * A cell of a table row: a number aligned with the others and of at most six digits, whole on hover; a text with its lines.
 *
 * @param {string} value
 */
function cellOf(value) {
  const isNumber = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(value.trim());
  if (!isNumber) {
    const cell = element("td", isCode(value) ? "code" : "", value);
    cell.dir = "auto";
    return cell;
  }
  const long = /\.\d{7,}/.test(value);
  const cell = element("td", "number", long ? String(Number(Number(value).toPrecision(6))) : value.trim());
  if (long) cell.title = value.trim();
  return cell;
}
