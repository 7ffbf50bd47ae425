// What those who listen hear after an answer: what was stored, how far they are, and which input is there now.

import { numbered } from "../elements.ts";
import type { Content } from "./types.ts";

const LETTERS = 300; // of a text, or of each of several, that is read out; the rest can be read where it stands

// What an input is, for somebody who cannot see it.
export function contentWords(content: Content): string {
  if (content.broken) return "it can't be shown, its data are damaged";
  if (content.panes) {
    const { titles, contents } = content.panes;
    return contents.map((one, place) => `${titles[place]}: ${contentWords(one)}`).join(" ");
  }
  if (content.sound) return "a sound";
  if (content.image) return "a picture";
  if (content.plot) return "a series";
  if (content.cells) return shortened(content.cells.map(([name, value]) => `${name} ${value}`).join(", "));
  return shortened(content.text ?? "") || "empty";
}

function shortened(words: string) {
  const line = words.replace(/\s+/g, " ").trim();
  return line.length <= LETTERS ? line : `${line.slice(0, LETTERS)} … and so on`;
}

/**
 * What was done to an input, said after it is stored.
 *
 * @param answer in words; empty where there is none
 */
export function deedWords(kind: string, answer: string, row: number) {
  if (kind === "skip") return `Input ${numbered(row)} skipped. It comes back later.`;
  return kind === "answer" ? `${answer} for input ${numbered(row)}.` : `Input ${numbered(row)}: can't tell.`;
}
