// What is read: texts, chats, lists, Markdown and source code, and the cells of a table row. Nothing of it is ever HTML.

import { element, numbered } from "../elements.ts";
import { chatOf, turnsOf } from "./chat.ts";
import { markdownOf } from "./markdown.ts";
import { codeOf } from "./source_code.ts";

import type { Cell } from "./types.ts";

/**
 * A text that can be scrolled, larger where it is short.
 *
 * @param called what it is, for those who listen
 * @param code whether its owner says that it is source code
 */
export function textOf(words: string, called: string, code = false): HTMLElement {
  if (code) return toRead(codeOf(words), called);
  const turns = turnsOf(words);
  const text = turns ? chatOf(turns, formattedOf) : formattedOf(words);
  if (words.length <= 90 && !words.includes("\n")) text.classList.add("short");
  if (text.matches(".chat, .markdown, .listed")) text.prepend(asWrittenButton(text, words));
  return toRead(text, called);
}

function formattedOf(words: string): HTMLElement {
  const texts = textsOf(words);
  return texts ? listed(texts) : markdownOf(words) ?? asWritten(words);
}

const MOST_LISTED = 200;

// The texts of a cell that holds a list of them, as contexts and choices come: in JSON, or as Python or NumPy writes it. Null
// where it holds something else.
export function textsOf(words: string): string[] | null {
  if (!/^\s*\[\s*["']/.test(words) || !/\]\s*$/.test(words)) return null;
  const found = inJson(words) ?? inPython(words);
  const texts = Array.isArray(found) && found.length <= MOST_LISTED && found.every((one) => typeof one === "string");
  return texts ? found as string[] : null;
}

function inJson(words: string): unknown {
  try {
    return JSON.parse(words);
  } catch {
    return null; // it only looks like one
  }
}

// One text of Python's list, and what stands before the next; NumPy writes no comma.
const PYTHON_TEXT = /\s*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)")(\s*,|\s(?=\s*["'])|(?=\s*\]))/y;
const ESCAPED = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|(.))/g;
const LETTERS: Record<string, string> = { n: "\n", t: "\t", r: "\r", "\\": "\\", "'": "'", '"': '"' };

function inPython(words: string): string[] | null {
  const texts = [];
  const end = words.trimEnd().length - 1;
  PYTHON_TEXT.lastIndex = words.indexOf("[") + 1;
  while (texts.length <= MOST_LISTED) {
    const found = PYTHON_TEXT.exec(words);
    if (!found) return null;
    texts.push((found[1] ?? found[2]).replace(ESCAPED, unescaped));
    if (/^\s*$/.test(words.slice(PYTHON_TEXT.lastIndex, end))) return texts;
  }
  return null;
}

function unescaped(written: string, two?: string, four?: string, eight?: string, letter?: string) {
  const code = parseInt(two ?? four ?? eight ?? "", 16);
  if (letter !== undefined) return LETTERS[letter] ?? written;
  return code <= 0x10ffff ? String.fromCodePoint(code) : written;
}

function listed(texts: string[]) {
  const list = element("ol", "listed");
  for (const words of texts) {
    const line = element("li");
    line.append(markdownOf(words) ?? asWritten(words));
    list.append(line);
  }
  return list;
}

function asWritten(words: string) {
  return inBlocks([[words, false]]);
}

// Turns to the text letter by letter, and back.
function asWrittenButton(text: HTMLElement, words: string) {
  const button = element("button", "plain as-written-button", "as written");
  button.type = "button";
  button.setAttribute("aria-pressed", "false");
  let formatted: Node[] = [];
  button.addEventListener("click", () => {
    const written = button.getAttribute("aria-pressed") === "false";
    if (written) formatted = [...text.childNodes];
    text.replaceChildren(...(written ? [button, asWritten(words)] : formatted));
    button.setAttribute("aria-pressed", String(written));
  });
  return button;
}

/**
 * Makes a text one that can be reached and scrolled by keys; a screen reader reads it when it gets the focus.
 *
 * @param called what it is, for those who listen
 */
export function toRead(text: HTMLElement, called: string) {
  text.dir = "auto";
  text.tabIndex = 0;
  text.setAttribute("role", "document");
  text.setAttribute("aria-label", called);
  return text;
}

const BLOCK = 1500; // letters after which the next line begins a block
const AT_ONCE = 8000; // letters of one line that are laid out with the frame; they fill any screen

// A text in pieces, those that another text lacks marked. It stands in blocks of whole lines, of which the browser lays
// out only those that are seen, and of a line that is longer than any screen the rest follows once its beginning is
// drawn: a text of 20,000 letters appears as fast as a short one.
export function inBlocks(pieces: [string, boolean][]): HTMLElement {
  const text = element("pre");
  let block = element("span", "block");
  let rest: Node[] = [];
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
      for (const [part, late] of ([[line.slice(0, cut), false], [line.slice(cut), true]] as [string, boolean][])) {
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

// Where a line may be cut once that many letters stand: behind the next space, or else between two whole characters.
function placeToCut(line: string, after: number) {
  if (line.length <= after) return line.length;
  if (after <= 0) return 0;
  const space = line.indexOf(" ", after);
  if (space >= 0) return space + 1;
  return /[\uDC00-\uDFFF]/.test(line[after]) ? after + 1 : after;
}

// Gives a block its rest after the first frame in which the text is seen; before that it is only made ready.
function onceSeen(text: HTMLElement, block: HTMLElement, rest: Node[]) {
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    block.append(...rest);
  });
  observer.observe(text);
}

export function tableOf(cells: Cell[], row: number) {
  const table = document.createElement("table");
  table.tabIndex = 0; // a long one is scrolled by the arrow keys
  table.setAttribute("aria-label", `table row of input ${numbered(row)}`);
  for (const [name, value, code] of cells) {
    const line = table.insertRow();
    const head = element("th", "", name);
    head.scope = "row";
    head.dir = "auto";
    line.append(head, code ? codeCell(value) : cellOf(value));
  }
  return table;
}

function codeCell(value: string) {
  const cell = element("td", "source");
  cell.append(codeOf(value));
  return cell;
}

// A cell of a table row: a number aligned with the others and of at most six digits, whole on hover; a text with its
// lines.
function cellOf(value: string) {
  const isNumber = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(value.trim());
  if (!isNumber) {
    const cell = element("td", "", value);
    cell.dir = "auto";
    return cell;
  }
  const long = /\.\d{7,}/.test(value);
  const cell = element("td", "number", long ? String(Number(Number(value).toPrecision(6))) : value.trim());
  if (long) cell.title = value.trim();
  return cell;
}
