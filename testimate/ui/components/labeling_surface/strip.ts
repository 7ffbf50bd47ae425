// The last answers, newest first; each can be chosen and changed (decision 245).

import { clickedButton, element, focused, numbered, part } from "../elements.ts";

import type { Content, StripEntry } from "./types.ts";

const LENGTH = 12;

export class Strip {
  drawn: Map<number, { looks: string, item: HTMLElement }>;
  list: HTMLElement;

  constructor(frame: HTMLElement, signal: AbortSignal, pick: (row: number) => void) {
    this.drawn = new Map(); // row -> its item, and how that looks in letters
    this.list = part(frame, ".strip");
    this.list.addEventListener("click", (event) => {
      const button = clickedButton(event);
      if (button && !button.disabled) pick(Number(button.dataset.row));
    }, { signal });
  }

  // entries: oldest first, {row, label, failed}; contentOf(row): what was seen, or undefined; outcomes: what is said
  // about an answer that shows no failure, and of one that does.
  draw(
    entries: StripEntry[],
    contentOf: (row: number) => Content | undefined,
    changing: number | null,
    outcomes: [string, string],
  ) {
    const before = this.drawn;
    this.drawn = new Map();
    for (const entry of entries.slice(-LENGTH).reverse()) {
      const content = contentOf(entry.row);
      const looks = JSON.stringify([entry, Boolean(content), Boolean(content?.thumbnail), entry.row === changing, outcomes]);
      const known = before.get(entry.row);
      const item = known?.looks === looks ? known.item : this.itemOf(entry, content, changing, outcomes);
      this.drawn.set(entry.row, { looks, item });
    }
    const active = focused(this.list);
    const held = active && this.list.contains(active) ? active.dataset.row : undefined;
    this.place([...this.drawn.values()].map(({ item }) => item));
    // drawn again under a tester who is choosing with the keyboard
    const again = held !== undefined && this.list.querySelector(`[data-row="${held}"]`);
    if (again instanceof HTMLElement && again !== focused(this.list)) again.focus({ preventScroll: true });
  }

  // Only what is new is put in: a click must not lose the button it began on.
  place(items: HTMLElement[]) {
    const kept = new Set(items);
    for (const item of [...this.list.children]) if (!kept.has(item as HTMLElement)) item.remove();
    items.forEach((item, place) => {
      const there = this.list.children[place] ?? null;
      if (there !== item) this.list.insertBefore(item, there);
    });
  }

  itemOf(entry: StripEntry, content: Content | undefined, changing: number | null, [right, failed]: [string, string]) {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.row = String(entry.row);
    button.disabled = !content;
    const state = entry.failed === null ? "" : entry.failed ? "failed" : "right";
    if (state) button.classList.add(state);
    if (entry.row === changing) button.classList.add("chosen");
    const verdict = { "": "", failed: `; ${failed}`, right: `; ${right}` }[state];
    const far = entry.far ? "; far from all predictions, perhaps a slip" : "";
    button.classList.toggle("far-off", entry.far);
    button.classList.toggle("number", entry.isNumber);
    button.title = `input ${numbered(entry.row)}: ${entry.label}${far}${verdict}`;
    button.setAttribute("aria-label", `${button.title}; change it`);
    if (content && content.thumbnail) button.append(content.thumbnail);
    const foot = element("span", "foot", "");
    foot.append(element("span", "label", entry.label));
    if (entry.far) foot.append(element("span", "far-mark", "?"));
    if (state) foot.append(element("span", "mark", state === "failed" ? "✗" : "✓"));
    button.append(foot);
    item.append(button);
    return item;
  }
}
