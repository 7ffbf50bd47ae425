// A chat as turns: what tables hold as messages comes as one text, each turn below its speaker, as chat_text writes it.

import { element } from "../elements.ts";

export type Turn = [speaker: string, words: string];

const SPEAKERS = "system|developer|user|human|person|customer|assistant|gpt|model|ai|bot|agent|chatgpt|tool|function|ipython";
const HEAD = new RegExp(`(?:^|\\n\\n)(${SPEAKERS}):\\n`, "gi");

// The turns of a chat, or null where the text is none.
export function turnsOf(text: string): Turn[] | null {
  const heads = [...text.matchAll(HEAD)];
  if (heads.length < 2 || heads[0].index !== 0) return null;
  return heads.map((head, place) => [head[1], text.slice(head.index + head[0].length, heads[place + 1]?.index)]);
}

export function chatOf(turns: Turn[], written: (words: string) => HTMLElement): HTMLElement {
  const node = element("div", "chat");
  for (const [speaker, words] of turns) {
    const turn = element("section", `turn of-${speaker.toLowerCase()}`);
    turn.append(element("header", "speaker", speaker), written(words));
    node.append(turn);
  }
  return node;
}
