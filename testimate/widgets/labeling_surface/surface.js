// The labeling surface itself: which input is on the screen, and what the tester's doing changes.

const FEW = 5; // with fewer inputs left than this, events are sent without a pause
const SETTLE = 200; // milliseconds during which an input that came by itself takes no answer: nobody has seen it yet
const DOUBLE = 300; // milliseconds during which a new input takes no second click of a double one, which was meant once
class Surface {
  constructor(frame) {
    this.frame = frame;
    this.view = null;
    this.owner = null;
    this.row = null; // on the screen
    this.changing = null; // the row whose answer is being changed
    this.wanted = null; // a row taken back whose content Python has yet to send
    this.done = []; // rows settled here, each once, the last one last: what undo takes back
    this.courier = null;
    this.quietUntil = 0;
    this.stopper = new AbortController();
    const { signal } = this.stopper;
    this.part = (name) => frame.querySelector(`.${name}`);
    this.words = new Words(frame);
    this.stage = new Stage(frame, signal);
    this.answers = new Answers(frame, signal, (answer) => this.settle("answer", { answer }));
    this.strip = new Strip(frame, signal, (row) => this.change(row));
    this.note = new Note(frame, signal, (row, words) => this.flag(row, words));
    frame.addEventListener("click", (event) => this.holdUp(event), { signal, capture: true });
    this.part("actions").addEventListener("click", (event) => {
      this.act(event.target.closest("button")?.dataset.act);
    }, { signal });
  }

  wake() {
    const { signal } = this.stopper;
    this.keyboard = new Keyboard(this, signal);
    window.addEventListener("online", () => this.courier?.flush(true), { signal });
    window.addEventListener("resize", () => this.fitScreen(), { signal });
    // Streamlit pales what a running script has not drawn yet; the input must not flicker meanwhile
    const holder = this.frame.getRootNode().host?.closest("[data-testid=stElementContainer]");
    holder?.style.setProperty("opacity", "1", "important");
    signal.addEventListener("abort", () => holder?.style.removeProperty("opacity"));
    this.clock = setInterval(() => this.tick(), 500);
    signal.addEventListener("abort", () => clearInterval(this.clock));
  }

  close() {
    clearTimeout(this.again);
    this.stopper.abort();
    this.courier?.stop();
  }

  // ---- what Python says

  deliver(data, send) {
    const owner = JSON.stringify([data.session, data.tester]);
    if (owner !== this.owner) this.begin(owner, data);
    this.courier.send = send;
    this.view = data;
    if (this.answers.setTask(this.own.applied(data.task, data.sounds))) this.fitScreen();
    for (const id of data.acknowledged) this.outbox.remove(id);
    for (const [id, reason] of Object.entries(data.refused)) this.refuse(id, reason);
    hold(this.inputs, [...data.queue, ...data.history], this.row, () => this.drawStripSoon());
    this.courier.landed();
    this.follow(true);
    this.draw();
    this.tick();
    this.courier.flush();
    clearTimeout(this.again); // a newer delivery knows better what waits
    if (data.ask_again) this.again = setTimeout(() => this.courier.post([]), 1000 * data.ask_again);
  }

  refuse(id, reason) {
    const entry = this.outbox.waiting.get(id);
    this.outbox.remove(id);
    if (!entry) return;
    this.done = this.done.filter((row) => row !== entry.event.row);
    this.words.refused(reason);
  }

  // The stage takes the height that the answers leave of the window.
  fitScreen() {
    const { frame } = this;
    const stage = this.part("stage");
    const top = Math.min(320, Math.max(0, frame.getBoundingClientRect().top));
    const rest = frame.offsetHeight - stage.offsetHeight;
    const height = Math.min(600, Math.max(200, window.innerHeight - top - rest - 28));
    frame.style.setProperty("--stage-height", `${height}px`);
  }

  begin(owner, data) {
    this.owner = owner;
    this.inputs = inputsHeldFor(owner);
    this.courier?.stop();
    const held = () => [...this.inputs.keys()];
    this.courier = new Courier(data.session, data.tester, held, () => this.openRows().length < FEW);
    this.outbox = this.courier.outbox;
    this.own = new OwnKeys(data.session);
    this.row = null;
    this.changing = null;
    this.wanted = null;
    this.done = [];
    this.note.close();
  }

  // The tester set a key.
  keysSet() {
    this.answers.setTask(this.own.applied(this.view.task, this.view.sounds));
    this.draw();
    this.keyboard.list.draw();
  }

  // ---- what is open, and what is on the screen

  // Rows to label whose content is here, in order.
  openRows() {
    return openRows(this.view, this.outbox).filter((row) => this.inputs.has(row));
  }

  // Keeps the input on the screen where it is still open; else shows the next.
  follow(byItself = false) {
    if (this.changing !== null && this.inputs.has(this.changing)) return;
    const open = this.openRows();
    if (open.includes(this.wanted)) {
      this.show(this.wanted);
      this.wanted = null;
      return;
    }
    if (this.row !== null && open.includes(this.row)) return;
    this.show(open.length ? open[0] : null);
    if (byItself && this.row !== null) this.quietUntil = performance.now() + SETTLE;
  }

  show(row, previous = null) {
    this.row = row;
    this.frame.dataset.row = row === null ? "" : String(row);
    this.shownAt = performance.now();
    this.answers.show(previous);
    if (row === null) this.stage.rest(this.restWords());
    else this.stage.show(this.inputs.get(row).content, row);
  }

  restWords() {
    const { finished, waiting, labeled } = this.view;
    if (this.outbox.size) return "Storing the last labels…";
    if (finished) return `All ${labeled} inputs of the plan are labeled. Backspace takes the last answer back.`;
    return waiting ? this.view.waiting_words : "Fetching the next input…";
  }

  lastAnswers() {
    return lastAnswers(this.view, this.outbox);
  }

  // ---- what the tester does

  emit(kind, row, more = {}) {
    const input = this.inputs.get(row);
    const position = input?.position ?? this.view.history.find((past) => past.row === row)?.position ?? 0;
    const seconds = row === this.row ? Math.round(performance.now() - this.shownAt) / 1000 : null;
    this.outbox.add({ id: newId(), kind, row, position, at: new Date().toISOString(), seconds, ...more });
  }

  settle(kind, more = {}) {
    if (this.row === null) return;
    const row = this.row;
    this.emit(kind, row, more);
    this.done = [...this.done.filter((other) => other !== row), row];
    this.changing = null;
    this.wanted = null;
    this.row = null;
    this.note.close();
    this.follow();
    this.draw();
    this.courier.flush();
  }

  undo() {
    if (this.changing !== null) {
      this.leaveChange();
      return;
    }
    const row = this.done.pop() ?? this.lastAnswers().at(-1)?.row;
    if (row === undefined) return;
    this.emit("undo", row);
    this.note.close();
    this.wanted = row;
    this.follow();
    this.draw();
    this.courier.flush();
  }

  change(row) {
    if (!this.inputs.has(row)) return;
    const entry = this.lastAnswers().find((past) => past.row === row);
    this.changing = row;
    this.note.close();
    this.show(row, entry ? entry.answer : null);
    this.draw();
  }

  leaveChange() {
    this.changing = null;
    this.row = null;
    this.follow();
    this.draw();
  }

  act(name) {
    if (name === "undo") this.undo();
    else if (this.row === null) return;
    else if (name === "flag") this.note.open(this.row);
    else if (name === "skip" && this.changing !== null) this.leaveChange();
    else if (name) this.settle(name);
  }

  flag(row, note) {
    this.emit("flag", row, { note });
    this.note.close();
    this.words.notice("Flagged.");
    this.courier.flush();
  }

  // Stops a click on a button that was meant for what stood there before.
  holdUp(event) {
    const button = event.target.closest(".answers button, .actions button");
    if (!button || this.row === null) return;
    const second = event.detail > 1 && performance.now() < this.shownAt + DOUBLE;
    if (!second && (this.seen() || button.dataset.act === "undo")) return;
    event.stopPropagation();
    event.preventDefault();
  }

  // Whether there is an input that has been on the screen long enough to be seen.
  seen() {
    return this.row !== null && performance.now() >= this.quietUntil;
  }

  // ---- what is drawn around the input

  draw() {
    const { view, row } = this;
    const entries = this.lastAnswers();
    this.words.draw(view, labeledCount(view, this.outbox), row === null ? null : this.inputs.get(row), this.changing !== null);
    if (row === null) this.stage.rest(this.restWords());
    this.drawStrip(entries);
    for (const [name, key] of [...ACTIONS.keys()].map((action) => [action, this.own.keys.get(action)])) {
      const button = this.frame.querySelector(`.actions [data-act="${name}"]`);
      button.querySelector("kbd").textContent = keyWords(key);
      button.setAttribute("aria-keyshortcuts", key === " " ? "Space" : key);
    }
    this.part("last-title").textContent = entries.length ? "last" : "";
    for (const button of this.frame.querySelectorAll(".answers button, .actions button")) {
      button.disabled = button.dataset.act === "undo" ? !entries.length && !this.done.length : row === null;
    }
    this.words.stored(view, this.outbox.size, [this.courier.complaint(), view.offline_error]);
  }

  drawStrip(entries) {
    this.strip.draw(entries, (row) => this.inputs.get(row)?.content, this.changing);
  }

  // Once for all small pictures that are ready by then.
  drawStripSoon() {
    this.stripTimer ??= setTimeout(() => {
      this.stripTimer = undefined;
      if (this.view && this.frame.isConnected) this.drawStrip(this.lastAnswers());
    }, 50);
  }

  // Twice a second: how long events wait, and whether there is something to ask for.
  tick() {
    const { outbox, view, courier } = this;
    if (!view || !this.frame.isConnected) return;
    this.words.stored(view, outbox.size, [courier.complaint(), view.offline_error]);
    if (!outbox.size) this.words.speak(view);
    const missing = [...view.queue, ...view.history].some((item) => item.at_hand && !this.inputs.has(item.row));
    if (missing || (this.row === null && view.waiting && !outbox.size)) courier.ask();
  }
}

const SURFACES = new WeakMap(); // by shadow root: Streamlit calls the module again with every delivery
let listening = null; // only one surface on a page takes keys

export default function ({ parentElement: root, data: [data], setTriggerValue }) {
  const frame = root.querySelector(".surface");
  let surface = SURFACES.get(root);
  if (!surface || surface.frame !== frame || surface.stopper.signal.aborted) {
    surface?.close();
    surface = new Surface(frame);
    SURFACES.set(root, surface);
    if (listening && listening.frame.isConnected && !listening.stopper.signal.aborted) listening.close();
    listening = surface;
    surface.wake();
  }
  surface.deliver(data, setTriggerValue);
  surface.turn = (surface.turn ?? 0) + 1;
  const { turn } = surface;
  // Streamlit also cleans up after a delivery that a newer one overtook: only the newest delivery may end the surface
  return () => setTimeout(() => { if (turn === surface.turn) surface.close(); }, 50);
}
