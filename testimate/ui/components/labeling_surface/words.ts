// The words around the input: progress, why this input, what is stored, and what went wrong.

import { numbered, part } from "../elements.ts";

import type { HeldInput, View } from "./types.ts";

// Why the input was picked or, where that would hint at the answer, why the one answered last was.
export function whyWords(view: View, input: HeldInput | null) {
  const plain = (why: string) => why.replaceAll(": ", ", ");
  if (input?.why) return `Why: ${plain(input.why)}`;
  const last = view.history.at(-1);
  return last?.why ? `Why input ${numbered(last.row)} was picked: ${plain(last.why)}` : "";
}

export class Words {
  part: (name: string) => HTMLElement;
  noticeUntil: number;
  noticed: string;
  refusal: { words: string; until: number; };
  spoken: boolean;
  deed: string;

  constructor(frame: HTMLElement) {
    this.part = (name: string) => part(frame, `.${name}`);
    this.noticeUntil = 0;
    this.noticed = "";
    this.refusal = { words: "", until: 0 };
    this.spoken = true; // whether the last count of stored labels has been read out
    this.deed = ""; // what was done last
  }

  // done: counting the events on the way; changing: whether an earlier answer is being changed.
  draw(view: View, done: number, input: HeldInput | null, changing: boolean) {
    this.part("count").textContent = `${done.toLocaleString("en")} of ${view.planned.toLocaleString("en")}`;
    const bar = this.part("bar");
    bar.setAttribute("aria-valuenow", String(done));
    bar.setAttribute("aria-valuemax", String(view.planned));
    this.part("bar-done").style.transform = `scaleX(${view.planned ? Math.min(1, done / view.planned) : 0})`;
    this.part("why").textContent = whyWords(view, input);
    const predicted = input !== null && typeof input.prediction === "string" && !changing;
    this.part("prediction").hidden = !predicted;
    this.part("prediction").textContent = predicted ? `model says ${input.prediction}` : "";
    this.part("changing").hidden = !changing;
    this.part("changing").textContent = changing ? `changing the answer to input ${input && numbered(input.row)} (Esc cancels)` : "";
  }

  // waiting: how many events are on the way; errors: sentences for the banner.
  stored(view: View, waiting: number, errors: string[]) {
    const refused = performance.now() < this.refusal.until ? this.refusal.words : "";
    const aloud = [...errors, refused].filter(Boolean).join(" ");
    const banner = this.part("banner");
    if (banner.textContent !== aloud) banner.textContent = aloud;
    banner.hidden = aloud === "";
    const words = waiting ? `${waiting} on the way` : view.done ? "✓ saved" : "";
    const node = this.part("stored");
    if (performance.now() >= this.noticeUntil && node.textContent !== words) node.textContent = words;
    if (waiting) this.spoken = false;
  }

  /**
   * Reads out, to those who listen, what was stored and what is there now; not for each one of a quick run.
   *
   * @param now the input on the screen, or why there is none
   */
  speak(view: View, now: string) {
    const announce = this.part("announce");
    announce.textContent ||= now; // what there is on arrival
    if (this.spoken) return;
    this.spoken = true;
    const done = this.deed || (performance.now() < this.noticeUntil ? this.noticed : "");
    this.deed = "";
    const stored = `${view.done} of ${view.planned} saved.`;
    announce.textContent = [done, stored, now].filter(Boolean).join(" ");
  }

  refused(reason: string) {
    this.refusal = { words: `Not saved: ${reason}`, until: performance.now() + 12000 };
  }

  notice(words: string) {
    this.noticeUntil = performance.now() + 6000;
    this.noticed = words;
    this.deed = ""; // what is said last counts
    this.part("stored").textContent = words;
    this.part("announce").textContent = words;
  }
}
