// The list of all keys behind "?", in which each can be set anew.

const MOST_LISTED = 200; // with more classes, only those that have a key

class KeyList {
  // done: called after a key was set.
  constructor(frame, signal, done) {
    this.frame = frame;
    this.box = frame.querySelector(".help");
    this.list = frame.querySelector(".help-keys");
    this.said = frame.querySelector(".help-said");
    this.reset = frame.querySelector(".help-reset");
    this.done = done;
    this.asking = null; // what a key is being chosen for
    this.list.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) this.ask(button.dataset.what);
    }, { signal });
    this.reset.addEventListener("click", () => { this.own.reset(); this.asking = null; this.said.textContent = HINT; this.done(); }, { signal });
  }

  get open() {
    return !this.box.hidden;
  }

  show(own, task, fixed) {
    this.own = own;
    this.task = task;
    this.fixed = fixed;
    this.asking = null;
    this.said.textContent = HINT;
    this.draw();
    this.box.hidden = false;
    this.before = this.frame.getRootNode().activeElement;
    this.frame.querySelector(".help-close").focus({ preventScroll: true });
  }

  hide() {
    this.frame.getRootNode().activeElement?.blur(); // what is hidden must not take the next key
    this.box.hidden = true;
    this.before?.focus?.({ preventScroll: true });
  }

  draw() {
    const { own, task } = this;
    const classes = task.classes.map((name, place) => [`class ${place}`, name]);
    const listed = classes.filter(([what]) => own.keys.get(what) || classes.length <= MOST_LISTED);
    const settable = [...listed, ...[...ACTIONS.keys()].map((name) => [name, ACTION_WORDS[name]])];
    const lines = settable.map(([what, words]) => [this.buttonOf(what, words), words]);
    this.reset.hidden = !own.changed;
    this.list.replaceChildren(...[...lines, ...this.fixed.map(([keys, words]) => [written("kbd", "", keys), words])].map(lineOf));
  }

  buttonOf(what, words) {
    const button = written("button", "plain key", "");
    const key = this.own.keys.get(what);
    button.type = "button";
    button.dataset.what = what;
    button.setAttribute("aria-label", `${words}: ${key ? `key ${keyWords(key)}` : "no key"}; change it`);
    button.append(written("kbd", "", this.asking === what ? "press…" : keyWords(key) || "–"));
    return button;
  }

  ask(what) {
    this.asking = what;
    this.said.textContent = "Press the key that is to do this; Esc leaves it.";
    this.draw();
    this.focus(what);
  }

  focus(what) {
    [...this.list.querySelectorAll("button")].find((button) => button.dataset.what === what)?.focus();
  }

  // A key while one is being chosen.
  choose(key) {
    const what = this.asking;
    const refusal = key === "Escape" || key === "Enter" ? "" : this.own.refusal(key);
    if (refusal) {
      this.said.textContent = refusal;
      return;
    }
    this.asking = null;
    this.said.textContent = HINT;
    if (key !== "Escape" && key !== "Enter") {
      this.own.set(what, key);
      this.done();
    }
    this.draw();
    this.focus(what);
  }

  // Tab stays in the list while it hides the rest.
  cycle(event) {
    const all = [...this.box.querySelectorAll("button")].filter((button) => !button.hidden);
    const here = all.indexOf(this.frame.getRootNode().activeElement);
    event.preventDefault();
    all[(here + (event.shiftKey ? -1 : 1) + all.length) % all.length].focus();
  }
}

const HINT = "A click on a key sets another; kept in this browser for this session.";
const ACTION_WORDS = {
  "cannot tell": "cannot tell",
  skip: "skip, it comes back later",
  flag: "flag with a note",
  undo: "undo, as often as you like",
};

function lineOf([key, words]) {
  const line = document.createElement("div");
  const term = document.createElement("dt");
  term.append(key);
  line.append(term, written("dd", "", words));
  return line;
}
