// The last answers, newest first; each can be chosen and changed.

const LENGTH = 12;

class Strip {
  constructor(frame, signal, pick) {
    this.list = frame.querySelector(".strip");
    this.list.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button && !button.disabled) pick(Number(button.dataset.row));
    }, { signal });
  }

  // entries: oldest first, {row, label, failed}; contentOf(row): what was seen, or undefined.
  draw(entries, contentOf, changing) {
    const last = entries.slice(-LENGTH).map((entry) => [entry, Boolean(contentOf(entry.row)?.thumbnail)]);
    const looks = JSON.stringify([last, changing]);
    if (looks === this.drawn) return; // a click must not lose the button it began on
    this.drawn = looks;
    const nodes = entries.slice(-LENGTH).reverse().map((entry) => this.itemOf(entry, contentOf(entry.row), changing));
    const active = this.list.getRootNode().activeElement;
    const held = this.list.contains(active) ? active.dataset.row : undefined;
    this.list.replaceChildren(...nodes);
    // drawn anew under a tester who is choosing with the keyboard
    if (held !== undefined) this.list.querySelector(`[data-row="${held}"]`)?.focus({ preventScroll: true });
  }

  itemOf(entry, content, changing) {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.row = entry.row;
    button.disabled = !content;
    const state = entry.failed === null ? "" : entry.failed ? "failed" : "right";
    if (state) button.classList.add(state);
    if (entry.row === changing) button.classList.add("chosen");
    const verdict = { "": "", failed: "; the model was wrong", right: "; the model was right" }[state];
    button.title = `input ${entry.row}: ${entry.label}${verdict}`;
    button.setAttribute("aria-label", `${button.title}; change it`);
    if (content && content.thumbnail) button.append(content.thumbnail);
    const foot = written("span", "foot", "");
    foot.append(written("span", "label", entry.label));
    if (state) foot.append(written("span", "mark", state === "failed" ? "✗" : "✓"));
    button.append(foot);
    item.append(button);
    return item;
  }
}
