// Markdown as it is read. The library only takes the text apart: every element is made here, and holds text as text. HTML
// stands as it is written, a link opens nothing and says where it leads, a picture is named and not fetched.

import { lexer } from "marked";
import { element } from "../elements.ts";
import { codeOf } from "./source_code.ts";

import type { Token, Tokens } from "marked";

const LONGEST = 12_000; // letters; a longer text stands as it is written
const MOST_MARKS = 1_000; // whose pairs are looked for in a time that grows with their square: 12 s for a text made for it
const DEEPEST = 12; // lists in lists, and quotations in quotations; what is deeper stands as it is written
const SIGNS = /^ {0,3}(?:```|~~~|#{1,6} |[-*+] |\d{1,3}[.)] |> |\|.*\|)|\*\*\S|__\S|\*[^\s*][^*\n]*\*|`[^`\n]+`|\[[^\]\n]+\]\([^)\n]+\)/m;

// The text as elements, or null where it has no Markdown, or none that can be read.
export function markdownOf(text: string): HTMLElement | null {
  if (text.length > LONGEST || !SIGNS.test(text) || (text.match(/[*_~`[]/g)?.length ?? 0) > MOST_MARKS) return null;
  try {
    const node = element("div", "markdown");
    node.append(...lexer(text, { gfm: true, breaks: true }).map((token) => blockOf(token, 0)));
    return node;
  } catch {
    return null; // nested deeper than a browser can follow
  }
}

function blockOf(token: Token, depth: number): Node {
  if (depth > DEEPEST) return element("p", "as-written", token.raw);
  switch (token.type) {
    case "space": return document.createTextNode("");
    case "hr": return element("hr");
    case "heading": return filled(element("p", `heading of-${(token as Tokens.Heading).depth}`), token);
    case "blockquote": {
      const quote = element("blockquote");
      quote.append(...((token as Tokens.Blockquote).tokens).map((one) => blockOf(one, depth + 1)));
      return quote;
    }
    case "list": return listOf(token as Tokens.List, depth);
    case "table": return tableOf(token as Tokens.Table);
    case "code": return (token as Tokens.Code).codeBlockStyle === "indented"
      ? element("p", "as-written", (token as Tokens.Code).text)
      : codeOf((token as Tokens.Code).text);
    case "paragraph":
    case "text": return filled(element("p"), token);
    default: return element("p", "as-written", token.raw.replace(/\n+$/, ""));
  }
}

function listOf(token: Tokens.List, depth: number) {
  const list = element(token.ordered ? "ol" : "ul");
  if (list instanceof HTMLOListElement && typeof token.start === "number") list.start = token.start;
  for (const item of token.items) {
    const line = element("li");
    if (item.task) line.append(item.checked ? "☑ " : "☐ ");
    line.append(...item.tokens.map((one) => blockOf(one, depth + 1)));
    list.append(line);
  }
  return list;
}

function tableOf(token: Tokens.Table) {
  const table = element("table");
  [token.header, ...token.rows].forEach((cells, place) => {
    const line = table.insertRow();
    line.append(...cells.map((cell) => filled(element(place ? "td" : "th"), cell)));
  });
  return table;
}

// An element with the text of a token in it.
function filled<Made extends HTMLElement>(made: Made, token: { tokens?: Token[], text?: string }): Made {
  made.append(...(token.tokens ?? []).map(inlineOf));
  if (!token.tokens) made.append(token.text ?? "");
  return made;
}

function inlineOf(token: Token): Node {
  switch (token.type) {
    case "strong": return filled(element("strong"), token as Tokens.Strong);
    case "em": return filled(element("em"), token as Tokens.Em);
    case "del": return filled(element("del"), token as Tokens.Del);
    case "codespan": return element("code", "", (token as Tokens.Codespan).text);
    case "br": return element("br");
    case "escape": return document.createTextNode((token as Tokens.Escape).text);
    case "link": return linkOf(token as Tokens.Link);
    case "image": return pictureOf(token as Tokens.Image);
    case "text": return (token as Tokens.Text).tokens ? filled(element("span"), token as Tokens.Text) : document.createTextNode(token.raw);
    default: return document.createTextNode(token.raw);
  }
}

// A picture is not fetched: its name stands there, and where it is, or what it holds if it is in the text.
function pictureOf(token: Tokens.Image) {
  const place = token.href.startsWith("data:") ? token.href.slice(0, token.href.search(/[;,]|$/)) : token.href;
  const named = element("span", "picture-named", `[picture: ${token.text || "without a name"}`);
  named.append(element("span", "leads-to", ` (${place})`), "]");
  return named;
}

function linkOf(token: Tokens.Link) {
  const link = filled(element("span", "link"), token);
  if (token.href !== token.text && token.href !== `mailto:${token.text}`) link.append(element("span", "leads-to", ` (${token.href})`));
  return link;
}
