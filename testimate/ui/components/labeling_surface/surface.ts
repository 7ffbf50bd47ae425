// The labeling surface itself: which input is on the screen, and what the tester's actions change.

import { clickedButton, numbered, part } from "../elements.ts";
import { mount } from "../mount.ts";
import { Answers } from "./answers.ts";
import { hold, inputsHeldFor } from "./at_hand.ts";
import { Codes, MOST_OF_ONE, codesOf, failsHere, knownCodes, turned, withTyped } from "./codes.ts";
import { EventSender } from "./event_sender.ts";
import { Cue } from "./cue.ts";
import { FocusKept } from "./focus_kept.ts";
import { ACTIONS, keyWords, keysOf } from "./key_table.ts";
import { Keyboard } from "./keys.ts";
import { kindOf } from "./kinds.ts";
import { Leaving } from "./leaving.ts";
import { Note } from "./note.ts";
import { Outside, placeSpelled } from "./outside.ts";
import { newId } from "./outbox.ts";
import { OwnKeys } from "./own_keys.ts";
import { Reason } from "./reason.ts";
import { contentWords, deedWords } from "./spoken.ts";
import { Stage } from "./stage.ts";
import { doneCount, isFar, lastAnswers, openRows } from "./standing.ts";
import { Strip } from "./strip.ts";
import { Swipe } from "./swipe.ts";
import { numberInFull } from "./typed_number.ts";
import { Words } from "./words.ts";

import type { Side } from "./swipe.ts";
import type { Outbox } from "./outbox.ts";
import type { Markup, Tell } from "../mount.ts";
import type { Answer, HeldInput, StripEntry, SurfaceEvent, View } from "./types.ts";


const FEW = 5; // with fewer inputs left than this, events are sent without a pause
const SETTLE = 200; // milliseconds during which an input that came by itself takes no answer: nobody has seen it yet
const IN_A_CELL = 300; // pixels of the stage in a notebook, so that the answers are in view with it
const DOUBLE = 300; // milliseconds during which a new input takes no second click of a double one, which was meant once

export class Surface {
  frame: HTMLElement;
  shared: boolean;
  owner: string | null;
  row: number | null;
  changing: number | null;
  wanted: number | null;
  done: number[];
  coded: { row: number, before: string[] }[];
  quietUntil: number;
  codesQuietUntil: number;
  shownAt: number;
  standing: Map<number, string>;
  stripTimer: ReturnType<typeof setTimeout> | undefined;
  again: ReturnType<typeof setTimeout> | undefined;
  stopper: AbortController;
  leaving: Leaving;
  focus: FocusKept;
  part: (name: string) => HTMLElement;
  words: Words;
  cue: Cue;
  stage: Stage;
  answers: Answers;
  strip: Strip;
  note: Note;
  reason: Reason;
  outside: Outside;
  codes: Codes;
  swipe: Swipe;
  clock: number | undefined;

  // the latest delivery; there is none before the first
  view: View;

  // as the next three, of the session and tester of the latest delivery
  sender: EventSender;

  outbox: Outbox;

  own: OwnKeys;

  inputs: Map<number, HeldInput>;

  keyboard: Keyboard;

  /** @param shared whether other things on the page take keys */
  constructor(frame: HTMLElement, shared = false) {
    this.frame = frame;
    this.shared = shared;
    this.owner = null;
    this.row = null; // on the screen
    this.changing = null; // the row whose answer is being changed
    this.wanted = null; // a row taken back whose content Python has yet to send
    this.done = []; // rows settled here, each once, the last one last: what undo takes back
    this.coded = []; // codes given since the last answer, which undo takes back first
    this.quietUntil = 0;
    this.codesQuietUntil = 0; // as quietUntil, of the failure whose codes are asked for
    this.shownAt = 0;
    this.standing = new Map(); // row -> the answer that stands, as it was delivered last or given here since
    this.stripTimer = undefined;
    this.again = undefined; // asks Python to run again
    this.stopper = new AbortController();
    const { signal } = this.stopper;
    this.leaving = new Leaving(frame, signal);
    this.focus = new FocusKept(frame, signal);
    this.part = (name: string) => part(frame, `.${name}`);
    this.words = new Words(frame);
    this.cue = new Cue();
    this.stage = new Stage(frame, signal);
    this.answers = new Answers(frame, signal, (answer) => this.give(answer), () => this.seen(), () => this.marked());
    this.strip = new Strip(frame, signal, (row) => this.change(row));
    this.note = new Note(frame, signal, (row, words) => this.flag(row, words));
    this.reason = new Reason(frame, signal, (row, answer, words) => this.giveReason(row, answer, words));
    this.outside = new Outside(frame, signal, (row, name) => this.giveOutside(row, name));
    this.codes = new Codes(
      frame,
      signal,
      (name) => this.code((codes) => turned(codes, name)),
      (typed) => this.code((codes) => withTyped(codes, typed, this.codes.names)),
    );
    this.swipe = new Swipe(this.part("stage"), signal, {
      swiped: (side) => this.swiped(side),
      wanted: () => this.row !== null && this.swipes !== null && !this.stage.zoomable,
    });
    frame.addEventListener("click", (event) => this.holdUp(event), { signal, capture: true });
    for (const name of ["actions", "codes"]) {
      this.part(name).addEventListener("click", (event) => {
        this.act(clickedButton(event)?.dataset.act);
      }, { signal });
    }
  }

  wake() {
    const { signal } = this.stopper;
    this.keyboard = new Keyboard(this, signal);
    window.addEventListener("online", () => this.sender?.flush(true), { signal });
    window.addEventListener("resize", () => this.fitScreen(), { signal });
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") this.sender?.ask(); // another tab may have gone on meanwhile
    }, { signal });
    // Streamlit fades what a running script has not drawn yet; the input must not flicker meanwhile
    const root = this.frame.getRootNode();
    const host = root instanceof ShadowRoot ? root.host : this.frame;
    const holder = host.closest("[data-testid=stElementContainer]") as HTMLElement | null;
    holder?.style.setProperty("opacity", "1", "important");
    signal.addEventListener("abort", () => holder?.style.removeProperty("opacity"));
    if (!this.shared) this.focus.arrive();
    this.clock = setInterval(() => this.tick(), 500);
    signal.addEventListener("abort", () => clearInterval(this.clock));
  }

  get closed() {
    return this.stopper.signal.aborted;
  }

  close() {
    clearTimeout(this.again);
    this.stopper.abort();
    this.sender?.stop();
  }

  // ---- what Python delivers

  deliver(data: View, send: Tell) {
    const owner = JSON.stringify([data.session, data.tester]);
    if (owner !== this.owner) this.begin(owner, data);
    this.sender.send = send;
    const asked = this.view && this.fault()?.entry.row;
    this.view = data;
    this.codes.offered = data.codes !== null;
    if (this.answers.setTask(this.own.applied(data.task, data.sounds), this.own.typed)) this.fitScreen();
    this.tellChanges(data);
    for (const id of data.acknowledged) this.outbox.remove(id);
    for (const [id, reason] of Object.entries(data.refused)) this.refuse(id, reason);
    hold(this.inputs, [...data.queue, ...data.history], this.row, () => this.drawStripSoon());
    this.sender.landed(data.page);
    this.follow(true);
    if (this.fault()?.entry.row !== asked) this.codesQuietUntil = performance.now() + SETTLE;
    this.draw();
    this.tick();
    this.sender.flush();
    this.focus.keep();
    clearTimeout(this.again); // this delivery replaces the earlier request
    if (data.ask_again) this.runAgainIn(1000 * data.ask_again);
  }

  // Asks Python to run again.
  runAgainIn(milliseconds: number) {
    this.again = setTimeout(() => {
      const { wait } = this.leaving;
      if (wait) this.runAgainIn(wait);
      else this.sender.callAgain();
    }, milliseconds);
  }

  refuse(id: string, reason: string) {
    const entry = this.outbox.waiting.get(id);
    this.outbox.remove(id);
    if (!entry) return;
    if (entry.event.kind !== "codes") this.done = this.done.filter((row) => row !== entry.event.row);
    this.words.refused(reason);
  }

  // An answer of the strip that has become another one, and not from here.
  tellChanges(data: View) {
    const here = this.outbox.lastOfRows();
    const known = data.history.filter((past) => !here.has(past.row));
    for (const { row, label } of known) {
      const before = this.standing.get(row);
      if (before !== undefined && before !== label) {
        this.words.notice(`The answer to input ${numbered(row)} was changed elsewhere: ${before}, now ${label}.`);
      }
    }
    this.standing = new Map(known.map(({ row, label }) => [row, label]));
  }

  // The stage takes the height that the answers leave of the window; on a shared page, which scrolls, a fixed one.
  fitScreen() {
    const { frame } = this;
    const stage = this.part("stage");
    const top = Math.min(320, Math.max(0, frame.getBoundingClientRect().top));
    const rest = frame.offsetHeight - stage.offsetHeight;
    const height = this.shared ? IN_A_CELL : Math.min(600, Math.max(200, window.innerHeight - top - rest - 28));
    frame.style.setProperty("--stage-height", `${height}px`);
  }

  begin(owner: string, data: View) {
    this.owner = owner;
    this.inputs = inputsHeldFor(owner);
    this.sender?.stop();
    const held = () => [...this.inputs.keys()];
    this.sender = new EventSender(data.session, data.tester, held, () => this.openRows().length < FEW, () => this.leaving.wait);
    this.outbox = this.sender.outbox;
    this.own = new OwnKeys(data.session);
    this.outside.given = [];
    this.row = null;
    this.changing = null;
    this.wanted = null;
    this.done = [];
    this.coded = [];
    this.standing = new Map();
    this.codes.begin();
    this.note.close();
    this.reason.close();
    this.outside.close();
  }

  // The tester set a key.
  keysSet() {
    this.answers.setTask(this.own.applied(this.view.task, this.view.sounds), this.own.typed);
    this.draw();
    this.keyboard.list.draw();
  }

  // ---- what is open, and what is on the screen

  // Rows to label whose content is here, in order.
  openRows(): number[] {
    return openRows(this.view, this.outbox).filter((row) => this.inputs.has(row));
  }

  // Keeps the input on the screen where it is still open; else shows the next.
  follow(byItself = false) {
    if (this.changing !== null && this.inputs.has(this.changing)) return;
    const open = this.openRows();
    if (this.wanted !== null && open.includes(this.wanted)) {
      this.show(this.wanted);
      this.wanted = null;
      return;
    }
    if (this.row !== null && open.includes(this.row)) return;
    const begun = this.answers.typing || this.answers.found || this.answers.panel.begun;
    if (byItself && this.row !== null && begun) {
      this.words.notice(`Someone else already settled input ${numbered(this.row)}, so your answer wasn't saved.`);
    }
    this.show(open.length ? open[0] : null);
    if (byItself && this.row !== null) this.quietUntil = performance.now() + SETTLE;
  }

  show(row: number | null, previous: Answer = null) {
    this.row = row;
    this.frame.dataset.row = row === null ? "" : String(row);
    this.shownAt = performance.now();
    if (this.reason.row !== null) this.reason.close();
    if (this.outside.row !== null) this.outside.close();
    this.answers.show(previous);
    const input = row === null ? undefined : this.inputs.get(row);
    this.answers.panel.show(input?.content, previous);
    if (row === null || !input) this.stage.rest(this.restWords());
    else this.stage.show(input.content, row);
  }

  restWords() {
    const { finished, waiting } = this.view;
    if (this.outbox.size) return "Saving…";
    if (finished) return this.view.finished_words;
    return waiting ? this.view.waiting_words : "Fetching the next input…";
  }

  nowWords() {
    const input = this.inputs.get(this.row ?? -1);
    return input ? `Now input ${numbered(input.row)}: ${contentWords(input.content)}` : this.restWords();
  }

  lastAnswers() {
    return lastAnswers(this.view, this.outbox);
  }

  // ---- what the tester does

  emit(kind: string, row: number, more: Partial<SurfaceEvent> = {}) {
    const input = this.inputs.get(row);
    const position = input?.position ?? this.view.history.find((past) => past.row === row)?.position ?? 0;
    const seconds = row === this.row ? Math.round(performance.now() - this.shownAt) / 1000 : null;
    this.outbox.add({ id: newId(), kind, row, position, at: new Date().toISOString(), seconds, ...more });
  }

  // Something was marked on a panel; where nothing is left to ask, that is the answer.
  marked() {
    if (this.answers.panel.complete) this.answers.storeAnswer();
    else this.draw();
  }

  give(answer: Answer) {
    const { task } = this.view;
    if (answer === null) {
      this.settle("cannot tell");
      return;
    }
    if (this.row !== null && typeof answer === "number" && task.reasons.includes(answer)) {
      this.note.close();
      this.reason.open(this.row, answer, kindOf(task).words(answer, task));
      return;
    }
    this.settle("answer", { answer });
    if (typeof answer !== "number" || !isFar(answer, task)) return;
    this.words.notice(`${numberInFull(answer, task.unit)} is far from all predictions. Undo if it was a slip.`);
  }

  giveReason(row: number, answer: Answer, reason: string) {
    if (row === this.row) this.settle("answer", { answer, reason });
  }

  // A name that spells a class is that class.
  giveOutside(row: number, name: string) {
    if (row !== this.row) return;
    const { task } = this.view;
    const place = placeSpelled(name, task);
    this.outside.close();
    if (place < 0) this.answers.takeOutside(name);
    else if (!this.answers.chosen.has(place)) this.answers.take(place);
    if (place >= 0) this.words.notice(`“${name}” is the class ${task.classes[place]}. Saved as that.`);
  }

  // Asks for its name; where it is one of several members and there already, takes it out.
  openOutside(row: number) {
    const { answers, outside } = this;
    if (answers.others.length) {
      answers.leaveOutside();
      return;
    }
    this.note.close();
    this.reason.close();
    const before = this.changing === row ? this.lastAnswers().find((past) => past.row === row)?.answer : null;
    outside.names = this.view.names;
    outside.open(row, typeof before === "string" ? before : answers.search.value.trim(), this.view.task.outside);
  }

  settle(kind: string, more: Partial<SurfaceEvent> = {}) {
    if (this.row === null) return;
    const row = this.row;
    this.emit(kind, row, more);
    this.cue.answered();
    const given = more.answer ?? null;
    this.words.deed = deedWords(kind, given === null ? "" : kindOf(this.view.task).words(given, this.view.task), row);
    this.standing.delete(row);
    this.done = [...this.done.filter((other) => other !== row), row];
    this.changing = null;
    this.wanted = null;
    this.row = null;
    this.coded = [];
    this.note.close();
    this.codes.close();
    this.follow();
    this.draw();
    this.sender.flush();
  }

  // The failure whose codes are asked for: the one that is being changed, or the last one.
  fault() {
    if (!this.view?.codes) return null;
    const failures = this.lastAnswers().filter((entry) => entry.failed ?? failsHere(entry.answer, this.view.task));
    const row = this.codes.row ?? this.changing;
    const entry = row === null ? failures.at(-1) : failures.find((one) => one.row === row);
    return entry ? { entry, codes: codesOf(entry.row, this.view, this.outbox) } : null;
  }

  // What Shift and this letter does; null where it does nothing.
  codeWork(letter: string): (() => unknown) | null {
    if (!letter || this.own.typed) return null;
    const name = this.fault() && this.codes.letters.named(letter, this.codes.names);
    return name ? () => this.code((codes) => turned(codes, name)) : null;
  }

  /** @param change from the codes of the failure to those that it is to have */
  code(change: (codes: string[]) => string[]) {
    const fault = this.fault();
    if (!fault) {
      this.notTaken("Not saved: this input is no failure by its answer now.");
      return;
    }
    if (performance.now() < this.codesQuietUntil) {
      this.notTaken("Not saved: the failure had just come up.");
      return;
    }
    const codes = change(fault.codes);
    if (codes.length > MOST_OF_ONE) {
      this.notTaken(`Not saved: an input has at most ${MOST_OF_ONE} codes. Take one away first.`);
      return;
    }
    this.coded.push({ row: fault.entry.row, before: fault.codes });
    this.giveCodes(fault.entry.row, codes, codes.length ? `Input ${numbered(fault.entry.row)}: ${codes.join(", ")}.` : `Input ${numbered(fault.entry.row)} has no code now.`);
  }

  giveCodes(row: number, codes: string[], words: string) {
    this.emit("codes", row, { codes });
    this.words.notice(words);
    this.draw();
    this.sender.flush();
  }

  openCodes() {
    const fault = this.fault();
    if (!fault) {
      this.notTaken("No failure to give a code to. It comes up here once an answer is saved.");
      return;
    }
    this.note.close();
    this.reason.close();
    this.outside.close();
    this.codes.open(fault.entry.row, `Why did input ${numbered(fault.entry.row)} fail? Such as blur; two codes with ; between`);
  }

  undo() {
    if (this.answers.panel.back()) return;
    const code = this.coded.pop();
    if (code && this.lastAnswers().some((entry) => entry.row === code.row)) {
      const taken = codesOf(code.row, this.view, this.outbox).filter((name) => !code.before.includes(name));
      this.giveCodes(code.row, code.before, taken.length ? `Undone: ${taken.join(", ")}, input ${numbered(code.row)}.` : `Undone: the codes of input ${numbered(code.row)} are back.`);
      return;
    }
    if (this.changing !== null) {
      this.leaveChange();
      return;
    }
    const entries = this.lastAnswers();
    const row = this.done.pop() ?? entries.at(-1)?.row;
    if (row === undefined) return;
    const label = entries.find((entry) => entry.row === row)?.label;
    this.emit("undo", row);
    this.words.notice(label === undefined ? `Input ${numbered(row)} is back.` : `Undone: ${label}, input ${numbered(row)}.`);
    this.note.close();
    this.wanted = row;
    this.follow();
    if (this.row === row) this.quietUntil = 0; // the tester called for it, whatever came by itself a moment ago
    this.draw();
    this.sender.flush();
  }

  change(row: number) {
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

  // The classes that a swipe to the left and one to the right answer; null where more than two might be meant.
  get swipes() {
    const { swipes } = this.view.task;
    return swipes && { left: swipes[0], right: swipes[1] };
  }

  swiped(side: Side) {
    const { swipes } = this;
    if (swipes && this.seen()) this.answers.take(swipes[side]);
  }

  act(name: string | undefined) {
    if (name === "undo") this.undo();
    else if (name === "why") this.openCodes();
    else if (this.row === null) return;
    else if (name === "flag") this.openNote(this.row);
    else if (name === "outside") this.openOutside(this.row);
    else if (name === "skip" && this.changing !== null) this.leaveChange();
    else if (name) this.settle(name);
  }

  openNote(row: number) {
    this.codes.close();
    this.reason.close();
    this.outside.close();
    this.note.open(row);
  }

  flag(row: number, note: string) {
    this.emit("flag", row, { note });
    this.note.close();
    this.words.notice("Flagged.");
    this.sender.flush();
  }

  // Stops a click on a button that was meant for what stood there before.
  holdUp(event: MouseEvent) {
    const button = clickedButton(event, ".answers button, .actions button");
    if (!button || this.row === null) return;
    const second = event.detail > 1 && event.timeStamp < this.shownAt + DOUBLE; // when it was made: a busy page takes it later
    if (!second && (this.seen() || button.dataset.act === "undo")) return;
    event.stopPropagation();
    event.preventDefault();
  }

  // A short cue that a key did nothing, and why.
  notTaken(words: string) {
    this.words.notice(words);
    this.cue.refused();
    this.frame.classList.remove("not-taken");
    void this.frame.offsetWidth; // so that the cue begins again for the next key
    this.frame.classList.add("not-taken");
  }

  // Whether there is an input that has been on the screen long enough to be seen.
  seen() {
    return this.row !== null && performance.now() >= this.quietUntil;
  }

  // ---- what is drawn around the input

  draw() {
    const { view, row } = this;
    const entries = this.lastAnswers();
    this.words.draw(view, doneCount(view, this.outbox), this.inputs.get(row ?? -1) ?? null, this.changing !== null);
    if (row === null) this.stage.rest(this.restWords());
    this.drawStrip(entries);
    const { swipes } = this;
    this.frame.classList.toggle("swiped-over", swipes !== null);
    this.part("swipes").hidden = swipes === null || this.stage.zoomable;
    if (swipes) {
      const { classes } = view.task;
      this.part("swipes").textContent = `swipe ← ${classes[swipes.left]}, → ${classes[swipes.right]}`;
    }
    for (const name of ACTIONS) {
      const key = this.own.keys.get(name) ?? "";
      const button = part(this.frame, `[data-act="${name}"]`);
      button.hidden = !(name in view.task.actions);
      part(button, "kbd").textContent = keyWords(key);
      button.setAttribute("aria-keyshortcuts", key === " " ? "Space" : key);
      button.classList.toggle("moved", key !== keysOf(name).key);
    }
    const last = entries.find((entry) => entry.row === this.done.at(-1)) ?? (this.done.length ? undefined : entries.at(-1));
    const marked = this.answers.panel.begun;
    const taken = marked ? "Takes back the last mark on this picture" : this.coded.length ? "Takes back the last code" : "";
    part(this.frame, ".actions [data-act=undo]").title = taken ? taken : last ? `Takes back ${last.label}, input ${numbered(last.row)}` : "";
    this.codes.draw(this.fault(), knownCodes(view, this.outbox), !this.own.typed);
    this.part("last-title").textContent = entries.length ? "last" : "";
    const buttons: NodeListOf<HTMLButtonElement> = this.frame.querySelectorAll(".answers button, .actions button");
    for (const button of buttons) {
      button.disabled = button.dataset.act === "undo" ? !marked && !entries.length && !this.done.length : row === null;
    }
    this.stage.sound?.nameKey(keyWords(view.task.actions.play));
    this.words.stored(view, this.outbox.size, [this.sender.complaint(), view.offline_error]);
  }

  drawStrip(entries: StripEntry[]) {
    const outcomes = this.view?.task.outcomes;
    if (outcomes) this.strip.draw(entries, (row) => this.inputs.get(row)?.content, this.changing, outcomes);
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
    const { outbox, view, sender } = this;
    if (!view || !this.frame.isConnected) return;
    this.words.stored(view, outbox.size, [sender.complaint(), view.offline_error]);
    if (!outbox.size) this.words.speak(view, this.nowWords());
    const missing = [...view.queue, ...view.history].some((item) => item.at_hand && !this.inputs.has(item.row));
    if (missing || (this.row === null && view.waiting && !outbox.size)) sender.ask();
  }
}

let listening: Surface | null = null; // only one surface on a page takes keys

/**
 * Draws a delivery on the surface inside ``root``, which it makes there the first time; returns what ends it.
 *
 * @param place shared: others on the page take keys, too; only those pressed inside are the surface's
 */
export function deliverTo(
  root: ParentNode & Node,
  markup: Markup,
  data: View,
  send: Tell,
  { shared = false }: { shared?: boolean } = {},
) {
  const make = (box: HTMLElement) => {
    const surface = new Surface(part(box, ".surface"), shared);
    if (!shared && listening?.frame.isConnected) listening.close();
    if (!shared) listening = surface;
    surface.wake();
    return surface;
  };
  return mount(root, markup, make, (surface) => surface.deliver(data, send));
}
