// What a key means here, and when a key belongs to something else on the page.

const FIELDS = "input:not([type=button]):not([type=checkbox]):not([type=radio]):not([type=submit]), textarea, select, "
  + "[contenteditable]:not([contenteditable=false])";
const OTHERS = "[role=textbox], [role=combobox], [role=searchbox], [role=spinbutton], [role=listbox], [role=menu], "
  + "[role=grid], [role=dialog], dialog"; // outside the surface, where letters have a meaning of their own
const PRESSED = "button, audio, a[href], summary, input, label, [role=button], [role=checkbox], [role=switch], [role=tab], "
  + "[role=radio]"; // what space or Enter presses

function matchesAny(path, selector) {
  return path.some((node) => node instanceof Element && node.matches(selector));
}

// The key as the surface names it: digits and letters by what is printed on them, whatever the layout.
function keyOf(event) {
  const { key, code, shiftKey } = event;
  if (/^[0-9]$/.test(key)) return key;
  if (/^Numpad[0-9]$/.test(code)) return code.slice(6); // whatever the number lock says
  if (!shiftKey && /^Digit[0-9]$/.test(code)) return code.slice(5); // digits that a layout puts behind shift
  if (key.length > 1 || key === "?" || key === "+") return key;
  if (shiftKey) return "";
  if (/^Key[A-Z]$/.test(code) && !/^[\x00-\x7f]$/.test(key)) return code.slice(3).toLowerCase(); // not a Latin layout
  return key.toLowerCase();
}

// The keys whose meaning is fixed, with what they do, for the list behind "?".
function fixedKeys(surface, fitKey) {
  const { kind } = surface.view.task;
  const lines = [];
  if (kind === "regression") lines.push(["0–9 . −", "type the number"]);
  if (kind !== "classification") lines.push(["Enter", "store the answer"]);
  if (!surface.answers.search.hidden) lines.push(["/", "search the classes; Enter takes the first found"]);
  if (surface.stage.sound) lines.push(["p", "play the sound, or pause it"]);
  lines.push([`+ − ${fitKey}`, "zoom a large picture in, out, fit"]);
  return [...lines, ["?", "this list"], ["Esc", "leave a note, a change or this list"]];
}

// What each key does; listens on the whole page while the surface is on it.
class Keyboard {
  constructor(surface, signal) {
    this.surface = surface;
    this.frame = surface.frame;
    this.list = new KeyList(this.frame, signal, () => surface.keysSet());
    const click = (name, open) => {
      this.frame.querySelector(name).addEventListener("click", () => this.showHelp(open), { signal });
    };
    click(".help-open", true);
    click(".help-close", false);
    document.addEventListener("keydown", (event) => this.keydown(event), { capture: true, signal });
    // a click must not leave the focus on a button, or the next space would press it again
    this.frame.addEventListener("mousedown", (event) => {
      if (event.target.closest("button")) event.preventDefault();
    }, { signal });
    // Streamlit sees only the host of this shadow root and would take letters typed into a field as its own shortcuts
    for (const name of ["keydown", "keypress", "keyup"]) {
      this.frame.addEventListener(name, (event) => {
        if (event.target.matches(FIELDS)) event.stopPropagation();
      }, { signal });
    }
  }

  keydown(event) {
    if (!this.frame.isConnected || event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.getModifierState("AltGraph")) return;
    const path = event.composedPath();
    const [target] = path;
    const inside = path.includes(this.frame);
    const inField = target instanceof Element && target.matches(FIELDS);
    if (!inside && (inField || target.isContentEditable || matchesAny(path, OTHERS))) return;
    const key = keyOf(event);
    if (this.list.open) this.keyInList(event, key);
    else if (inField) this.keyInField(event, key, target);
    else if ((key === "Enter" || key === " ") && matchesAny(path, PRESSED)) {
      if (event.repeat && inside) event.preventDefault(); // a held key presses a button once
    } else this.take(event, this.workOf(key));
  }

  take(event, work) {
    if (!work) return;
    event.preventDefault();
    if (!event.repeat) work();
  }

  workOf(key) {
    const { surface } = this;
    const { answers, stage } = surface;
    const place = answers.placeOfKey(key);
    const action = surface.own.actionOf(key);
    if (place >= 0) return () => surface.seen() && answers.take(place);
    if (key === "?") return () => this.showHelp(true);
    if (action === "cannot tell" || action === "skip") return () => surface.seen() && surface.act(action);
    if (action) return () => surface.act(action);
    if (key === "Escape" && surface.changing !== null) return () => surface.leaveChange();
    if (key === "/" && !answers.search.hidden) return () => answers.search.focus({ preventScroll: true });
    if (key === "Enter" && !answers.store.hidden) return () => surface.seen() && answers.storeAnswer();
    if (answers.isNumber && /^[0-9.,-]$/.test(key) && surface.row !== null) {
      answers.field.focus({ preventScroll: true }); // the number itself is typed into the field
      return null;
    }
    if (stage.sound && key === "p") return () => stage.sound.toggle();
    if (stage.zoomable && (key === "+" || key === "=")) return () => stage.zoom(1.5);
    if (stage.zoomable && key === "-") return () => stage.zoom(1 / 1.5);
    if (stage.zoomable && key === this.fitKey) return () => stage.fit();
    return null;
  }

  get fitKey() {
    return this.surface.own.holderOf("0") === undefined ? "0" : ".";
  }

  keyInField(event, key, field) {
    const { surface } = this;
    const { answers } = surface;
    if (field === surface.note.field) {
      if (key === "Escape") this.take(event, () => surface.note.close());
    } else if (field === answers.search) {
      if (key === "Enter") this.take(event, () => surface.seen() && answers.takeFirstFound());
      if (key === "Enter" || key === "Escape") field.blur();
    } else if (field === answers.field) {
      if (key === "Enter") this.take(event, () => surface.seen() && answers.storeAnswer());
      else if (key === "Escape") field.blur();
      else if (key === "Backspace" && field.value !== "") return; // takes a digit back
      else if (key === "?" || surface.own.actionOf(key)) this.take(event, this.workOf(key));
    }
  }

  keyInList(event, key) {
    const { list } = this;
    if (key === "Tab") list.cycle(event);
    else if (list.asking !== null && !["Shift", "CapsLock", "Dead"].includes(key)) this.take(event, () => list.choose(key));
    else if (key === "Escape" || key === "?") this.take(event, () => this.showHelp(false));
  }

  showHelp(open) {
    const { surface } = this;
    if (open) this.list.show(surface.own, surface.view.task, fixedKeys(surface, this.fitKey));
    else this.list.hide();
  }
}
