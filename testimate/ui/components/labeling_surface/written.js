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
  text.dir = "auto";
  text.tabIndex = 0;
  text.setAttribute("aria-label", called);
  return text;
}

const BLOCK = 1500; // letters after which the next line begins a block

/**
 * A text in pieces, those that another text lacks marked. It stands in blocks of whole lines, of which the browser lays out
 * only those that are seen: a text of 20,000 letters appears as fast as a short one.
 *
 * @param {[string, boolean][]} pieces
 * @returns {HTMLElement}
 */
export function inBlocks(pieces) {
  const text = element("pre");
  let block = element("span", "block");
  let letters = 0;
  for (const [words, lacking] of pieces) {
    for (const line of words.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
      block.append(lacking ? element("mark", "", line) : line);
      letters += line.length;
      if (letters < BLOCK || !line.endsWith("\n")) continue;
      text.append(block);
      block = element("span", "block");
      letters = 0;
    }
  }
  text.append(block);
  return text;
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
