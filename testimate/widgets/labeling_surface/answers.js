// The ways to answer: one class, several classes, or a number.

const MANY = 20; // with more classes than this they can be searched

class Answers {
  constructor(frame, signal, give) {
    this.frame = frame;
    this.give = give; // called with the answer
    this.grid = frame.querySelector(".classes");
    this.search = frame.querySelector(".search");
    this.number = frame.querySelector(".number");
    this.field = frame.querySelector(".number-field");
    this.refused = frame.querySelector(".refused");
    this.store = frame.querySelector(".store");
    this.task = null;
    this.chosen = new Set();
    this.store.addEventListener("click", () => this.storeAnswer(), { signal });
    this.number.addEventListener("submit", (event) => { event.preventDefault(); this.storeAnswer(); }, { signal });
    this.field.addEventListener("input", () => this.refuse(""), { signal });
    this.search.addEventListener("input", () => this.filter(), { signal });
    this.grid.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) this.take(Number(button.dataset.place));
    }, { signal });
  }

  // True where the task is another one than before.
  setTask(task) {
    if (JSON.stringify(task) === JSON.stringify(this.task)) return false;
    this.task = task;
    const kind = task.kind;
    this.number.hidden = kind !== "regression";
    this.store.hidden = kind === "classification";
    this.grid.hidden = kind === "regression";
    this.search.hidden = task.classes.length <= MANY;
    this.frame.querySelector(".unit").textContent = task.unit;
    this.field.placeholder = task.range ? `${task.range[0]} to ${task.range[1]}` : "number";
    const longest = Math.max(0, ...task.classes.map((name, place) => name.length + (this.keyIsName(place) ? 0 : 4)));
    const dense = task.classes.length > 10;
    this.grid.style.setProperty("--least", `${Math.min(dense ? 132 : 180, Math.max(50, longest * 8 + 26))}px`);
    this.grid.classList.toggle("dense", dense);
    this.grid.classList.toggle("many", task.classes.length > MANY);
    this.grid.replaceChildren(...task.classes.map((name, place) => this.buttonOf(name, place)));
    return true;
  }

  keyIsName(place) {
    return this.task.keys[place] === this.task.classes[place].toLowerCase();
  }

  buttonOf(name, place) {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.place = place;
    const key = this.task.keys[place];
    if (key) button.setAttribute("aria-keyshortcuts", key);
    button.title = key ? `${name} (key ${key})` : name;
    if (this.keyIsName(place)) button.append(written("kbd", "own", name));
    else button.append(...(key ? [written("kbd", "", key)] : []), written("span", "name", name));
    if (this.task.kind === "multi-label") button.setAttribute("aria-pressed", "false");
    return button;
  }

  // A new input: nothing chosen, or what was answered before.
  show(previous) {
    const several = this.task.kind === "multi-label";
    this.chosen = new Set(several && Array.isArray(previous) ? previous : []);
    this.field.value = this.task.kind === "regression" && typeof previous === "number" ? String(previous) : "";
    this.refuse("");
    if (this.search.value) {
      this.search.value = "";
      this.filter();
    }
    for (const button of this.grid.children) {
      const place = Number(button.dataset.place);
      const on = several ? this.chosen.has(place) : previous === place;
      button.classList.toggle("chosen", on);
      if (several) button.setAttribute("aria-pressed", String(on));
    }
    this.nameStore();
  }

  nameStore() {
    const words = this.task.kind !== "multi-label" ? "Store" : this.chosen.size ? `Store ${this.chosen.size}` : "Store “none”";
    this.frame.querySelector(".store-words").textContent = words;
  }

  // One class chosen: the answer, or one more of several.
  take(place) {
    if (this.task.kind !== "multi-label") {
      this.give(place);
      return;
    }
    const on = !this.chosen.has(place);
    if (on) this.chosen.add(place);
    else this.chosen.delete(place);
    const button = this.grid.children[place];
    button.classList.toggle("chosen", on);
    button.setAttribute("aria-pressed", String(on));
    this.nameStore();
  }

  storeAnswer() {
    if (this.task.kind === "multi-label") {
      this.give([...this.chosen].sort((a, b) => a - b));
      return;
    }
    const typed = this.field.value.trim().replace(",", ".");
    const value = Number(typed);
    const [least, most] = this.task.range ?? [-Infinity, Infinity];
    if (typed === "" || !Number.isFinite(value) || value < least || value > most) {
      this.refuse(this.task.range ? `Needed is a number from ${least} to ${most}.` : "Needed is a number.");
      this.field.focus({ preventScroll: true });
      return;
    }
    this.give(value);
  }

  // What is needed in place of a number that no answer can be; nothing once another one is typed.
  refuse(words) {
    if (words) this.field.setAttribute("aria-invalid", "true");
    else this.field.removeAttribute("aria-invalid");
    this.refused.textContent = words;
  }

  filter() {
    const wanted = this.search.value.trim().toLowerCase();
    for (const button of this.grid.children) {
      button.hidden = !this.task.classes[Number(button.dataset.place)].toLowerCase().includes(wanted);
    }
  }

  takeFirstFound() {
    const first = [...this.grid.children].find((button) => !button.hidden);
    if (this.search.value.trim() && first) this.take(Number(first.dataset.place));
    this.search.value = "";
    this.filter();
  }

  placeOfKey(key) {
    return key === "" ? -1 : this.task.keys.indexOf(key);
  }

  get isNumber() {
    return this.task.kind === "regression";
  }
}
