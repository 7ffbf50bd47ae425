// Source code as it is read: monospace, numbered lines, words of the language apart from strings and comments.

import { element } from "../elements.ts";

const LONGEST_COLORED = 20_000; // letters; a longer text is numbered and left plain

const KEYWORDS = new Set((
  "abstract and as assert async await bool boolean break byte case catch char class const continue def default del delete do "
  + "double elif else enum except export extends extern false finally float fn for foreach from func function global goto if "
  + "implements import in include instanceof int interface is lambda let long match mut namespace new nil none nonlocal not null "
  + "or package pass private protected pub public raise return self short signed sizeof static struct super switch template this "
  + "throw throws trait true try type typedef typeof union unsigned use using var virtual void volatile while with yield"
).split(" "));

// comments, strings, numbers, words; each alternative reads on without going back
const TOKEN = /(#[^\n]*|\/\/[^\n]*|\/\*[^*]*(?:\*(?!\/)[^*]*)*(?:\*\/)?)|("(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?)|(\b\d[\w.]*)|([A-Za-z_]\w*)/g;

export function codeOf(text: string) {
  const node = element("pre", "code", "");
  const parts = text.length > LONGEST_COLORED ? [["", text]] : partsOf(text);
  let line = element("span", "line", "");
  for (const [kind, words] of parts) {
    words.split("\n").forEach((piece, place) => {
      if (place > 0) {
        line.append("\n");
        node.append(line);
        line = element("span", "line", "");
      }
      if (piece) line.append(kind ? element("span", kind, piece) : piece);
    });
  }
  if (line.textContent) node.append(line);
  return node;
}

// The text in stretches: [kind, words], kind being "" for what is left plain.
function partsOf(text: string): [string, string][] {
  const parts: [string, string][] = [];
  let end = 0;
  for (const found of text.matchAll(TOKEN)) {
    const [words, comment, string, number] = found;
    const kind = comment ? "comment" : string ? "string" : number ? "digits" : KEYWORDS.has(words.toLowerCase()) ? "keyword" : "";
    if (!kind) continue;
    parts.push(["", text.slice(end, found.index)], [kind, words]);
    end = found.index + words.length;
  }
  parts.push(["", text.slice(end)]);
  return parts;
}
