// Sends events to Python: one message at a time, again and again until each is acknowledged or refused.

import { Outbox } from "./outbox.js";

/** @import { SurfaceEvent } from "./types.js" */

const LOUD_AFTER = 3000; // milliseconds an event may wait before the surface says so
const PAUSE = 300; // milliseconds between messages, so that the page's script has time to redraw the rest
const RESEND = [3000, 6000, 12000]; // milliseconds before an unanswered message goes out again
const ASK_AGAIN = 2000; // milliseconds between questions for inputs
const MOST_SENT = 200; // events of one session in one message

// When what is not answered goes out again: the later, the more often it did.
export class Resending {
  /** @param {() => number} leaving says for how many milliseconds nothing may be sent, as the tester leaves the page */
  constructor(leaving) {
    this.leaving = leaving;
    this.tries = 0; // messages since the last answer
    this.sentAt = -Infinity;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.later = undefined;
  }

  stop() {
    clearTimeout(this.later);
  }

  answered() {
    this.tries = 0;
  }

  // Milliseconds until the message that is not answered goes out again.
  get due() {
    return this.sentAt + RESEND[Math.min(this.tries, RESEND.length) - 1] - performance.now();
  }

  /**
   * Does the work, now or as soon as it may be done, and again until it calls this no more.
   *
   * @param {() => void} send
   * @param {() => void} again what calls this
   * @param {{ pause?: number, atOnce?: boolean }} [when] pause: milliseconds since the message before, where that is answered;
   *   atOnce: does not wait for an answer
   */
  work(send, again, { pause = 0, atOnce = false } = {}) {
    this.stop();
    const wait = this.tries ? this.due : this.sentAt + pause - performance.now();
    const rest = Math.max(atOnce ? 0 : wait, this.leaving());
    if (rest <= 0) {
      this.tries += 1;
      this.sentAt = performance.now();
      send();
    }
    this.later = setTimeout(again, rest > 0 ? rest : this.due);
  }
}

/**
 * What waits in an outbox, as Python takes it.
 *
 * @param {Outbox} outbox
 * @param {number[]} held rows whose content is here
 * @param {SurfaceEvent[]} [events]
 */
export function messageOf(outbox, held, events = outbox.events.slice(0, MOST_SENT)) {
  return { session: outbox.session, tester: outbox.tester, events, held, now: new Date().toISOString() };
}

export class EventSender {
  /**
   * held: call that lists the rows whose content is here; hurried: call that says whether few inputs are left; leaving: as
   * Resending takes it.
   *
   * @param {string} session
   * @param {string} tester
   * @param {() => number[]} held
   * @param {() => boolean} hurried
   * @param {() => number} [leaving]
   */
  constructor(session, tester, held, hurried, leaving = () => 0) {
    this.held = held;
    this.hurried = hurried;
    this.leaving = leaving;
    this.outbox = new Outbox(session, tester);
    this.resending = new Resending(leaving);
    /** @type {(name: string, message: object) => void} */
    this.send = () => {}; // Streamlit's, again with each delivery
    /** @type {string[]} */
    this.flight = []; // ids in the message not answered yet
    /** @type {string | undefined} */
    this.page = undefined;
    this.lastAsked = -Infinity;
  }

  stop() {
    this.resending.stop();
  }

  /**
   * A delivery came: forgets the message in flight once all its events are settled, or where the server no longer knows of it.
   *
   * @param {string} [page] under which the server knows this page: another one after its restart, or a new connection
   */
  landed(page) {
    if (page !== this.page || !this.flight.some((id) => this.outbox.waiting.has(id))) this.resending.answered();
    this.page = page;
  }

  /**
   * Sends what waits; `atOnce` does not wait for an answer to the message before.
   *
   * @param {boolean} [atOnce]
   */
  flush(atOnce = false) {
    this.stop();
    if (!this.outbox.size) return;
    const send = () => {
      const message = messageOf(this.outbox, this.held());
      this.flight = message.events.map((event) => event.id);
      this.send("events", message);
    };
    this.resending.work(send, () => this.flush(), { pause: this.hurried() ? 0 : PAUSE, atOnce });
  }

  // Asks for inputs by a message without events.
  ask() {
    if (this.leaving() || performance.now() - this.lastAsked < ASK_AGAIN) return;
    this.lastAsked = performance.now();
    this.callAgain();
  }

  // Has Python's script run again.
  callAgain() {
    this.send("events", messageOf(this.outbox, this.held(), []));
  }

  /**
   * What to say aloud about events that wait too long, or "".
   *
   * @returns {string}
   */
  complaint() {
    const { size } = this.outbox;
    if (!size || (this.outbox.age() <= LOUD_AFTER && navigator.onLine !== false)) return "";
    const labels = size === 1 ? "1 label" : `${size} labels`;
    return `${labels} not stored yet. Keep this page open; sending is retried automatically.`;
  }
}
