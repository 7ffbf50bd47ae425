// Answers a page was left with: whichever page is open hands over what this browser still holds, and says so until then.

import { part } from "../elements.js";
import { Leaving } from "./leaving.js";
import { Outbox } from "./outbox.js";

/** @typedef {(name: string, message: object) => void} Send */
/**
 * @typedef {object} LateView one delivery of Python
 * @property {string} tester
 * @property {string} leave the session whose labeling surface is on the page and sends its own; "" for none
 * @property {string[]} settled ids stored or refused for good
 * @property {string[]} strangers sessions that are not in this project, such as those of another server at this address
 * @property {string} reason why answers cannot be stored now, or ""
 */

const RESEND = [3000, 6000, 12000]; // milliseconds before what was not settled goes out again
const MOST_SENT = 200; // events of one session in one message

/**
 * The sessions for which this browser holds answers of the tester.
 *
 * @param {string} tester
 * @returns {string[]}
 */
export function sessionsHeld(tester) {
  const sessions = new Set();
  try {
    for (let place = 0; place < localStorage.length; place += 1) {
      const [, session, who] = /^testimate (\S+) (\S*) \S+$/.exec(localStorage.key(place) ?? "") ?? [];
      if (session && who === encodeURIComponent(tester)) sessions.add(decodeURIComponent(session));
    }
  } catch {
    // no storage on this site, or a name that this program did not write
  }
  return [...sessions];
}

/**
 * @param {number} count
 * @param {string} reason
 */
export function stillHere(count, reason) {
  const answers = count === 1 ? "1 answer is" : `${count} answers are`;
  const state = reason || "Being stored…";
  return `${answers} still in this browser and not counted on this page. ${state}`;
}

export class LateAnswers {
  /** @param {HTMLElement} frame */
  constructor(frame) {
    this.frame = frame;
    /** @type {LateView | undefined} */
    this.view = undefined;
    /** @type {Send} */
    this.send = () => {};
    this.lastSent = -Infinity;
    this.tries = 0;
    this.wanted = false; // a download, which waits until everything is counted
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.later = undefined;
    this.stopper = new AbortController();
    this.leaving = new Leaving(frame, this.stopper.signal);
    document.addEventListener("click", (event) => this.holdUp(event), { signal: this.stopper.signal, capture: true });
  }

  close() {
    clearTimeout(this.later);
    this.stopper.abort();
  }

  /**
   * @param {LateView} view
   * @param {Send} send
   */
  deliver(view, send) {
    this.view = view;
    this.send = send;
    const settled = new Set(view.settled);
    let settledHere = false;
    for (const outbox of this.outboxes()) {
      for (const { id } of outbox.events) if (settled.has(id)) settledHere = outbox.remove(id) || settledHere;
    }
    if (settledHere) this.tries = 0;
    this.flush();
  }

  /** @returns {Outbox[]} one per session with answers to hand over */
  outboxes() {
    const { view } = this;
    if (!view) return [];
    const sessions = sessionsHeld(view.tester).filter((one) => one !== view.leave && !view.strangers.includes(one));
    return sessions.map((session) => new Outbox(session, view.tester)).filter((outbox) => outbox.size);
  }

  // Sends what is held, again and again until each answer is settled.
  flush() {
    clearTimeout(this.later);
    const { view } = this;
    const outboxes = this.outboxes();
    this.draw(outboxes);
    if (!view || !outboxes.length) return;
    const due = this.tries ? this.lastSent + RESEND[Math.min(this.tries, RESEND.length) - 1] - performance.now() : 0;
    const wait = Math.max(due, this.leaving.wait);
    if (wait > 0) {
      this.later = setTimeout(() => this.flush(), wait);
      return;
    }
    this.tries += 1;
    this.lastSent = performance.now();
    const messages = outboxes.map(({ session, events }) => {
      const now = new Date().toISOString();
      return { session, tester: view.tester, events: events.slice(0, MOST_SENT), held: [], now };
    });
    this.send("messages", messages);
    this.later = setTimeout(() => this.flush(), RESEND[Math.min(this.tries, RESEND.length) - 1]);
  }

  /** @param {Outbox[]} outboxes */
  draw(outboxes) {
    const count = outboxes.reduce((sum, outbox) => sum + outbox.size, 0);
    if (!count) this.wanted = false;
    const state = this.view?.reason || "Being stored…";
    const words = count ? stillHere(count, this.wanted ? `${state} Download once they are counted.` : state) : "";
    if (this.frame.textContent !== words) this.frame.textContent = words; // a screen reader says it once
    this.frame.hidden = !count;
  }

  /**
   * A file made now would lack the answers held here, and nobody would see it in the file.
   *
   * @param {Event} event
   */
  holdUp(event) {
    const target = /** @type {Element | null} */ (event.target);
    if (!target?.closest("[data-testid=stDownloadButton]") || !this.outboxes().length) return;
    event.stopPropagation();
    event.preventDefault();
    this.wanted = true;
    this.draw(this.outboxes());
  }
}

/** @type {WeakMap<ParentNode, LateAnswers>} */
const SHOWN = new WeakMap(); // by shadow root: Streamlit calls the module again with every delivery
/** @type {WeakMap<LateAnswers, number>} */
const TURNS = new WeakMap();

/** @param {{ parentElement: ParentNode, data: [LateView], setTriggerValue: Send }} given */
export default function ({ parentElement: root, data: [data], setTriggerValue }) {
  const frame = part(root, ".late");
  let late = SHOWN.get(root);
  if (!late || late.frame !== frame || late.stopper.signal.aborted) {
    late?.close();
    late = new LateAnswers(frame);
    SHOWN.set(root, late);
  }
  const shown = late;
  const turn = (TURNS.get(shown) ?? 0) + 1;
  TURNS.set(shown, turn);
  shown.deliver(data, setTriggerValue);
  // Streamlit also cleans up after a delivery that a newer one overtook: only the newest may end it
  return () => setTimeout(() => { if (turn === TURNS.get(shown)) shown.close(); }, 50);
}
