// What those who listen hear after an answer: what was stored, how far they are, and which input is there now.

/** @import { Content } from "./types.js" */

const LETTERS = 300; // of a text, or of each of several, that is read out; the rest can be read where it stands

/**
 * What an input is, for somebody who cannot see it.
 *
 * @param {Content} content
 * @returns {string}
 */
export function contentWords(content) {
  if (content.broken) return "it cannot be shown, its data are damaged";
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

/** @param {string} words */
function shortened(words) {
  const line = words.replace(/\s+/g, " ").trim();
  return line.length <= LETTERS ? line : `${line.slice(0, LETTERS)} … and so on`;
}

/**
 * What was done to an input, said after it is stored.
 *
 * @param {string} kind
 * @param {string} answer in words; empty where there is none
 * @param {number} row
 */
export function deedWords(kind, answer, row) {
  if (kind === "skip") return `Input ${row} skipped; it comes back later.`;
  return kind === "answer" ? `${answer} for input ${row}.` : `Input ${row}: cannot tell.`;
}
