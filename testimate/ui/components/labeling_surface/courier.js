// Carries events to Python: one message at a time, again and again until each is acknowledged or refused.

import { Outbox } from "./outbox.js";

/** @import { SurfaceEvent } from "./types.js" */

const LOUD_AFTER = 3000; // milliseconds an event may wait before the surface says so
const PAUSE = 300; // milliseconds between messages, so that the page's script has time to redraw the rest
const RESEND = [3000, 6000, 12000]; // milliseconds before an unanswered message goes out again
const ASK_AGAIN = 2000; // milliseconds between questions for inputs
const MOST_SENT = 200; // events in one message

export class Courier {
  /**
   * held: call that lists the rows whose content is here; hurried: call that says whether few inputs are left; leaving: call
   * that says for how many milliseconds nothing may be sent, because the tester is on the way to another page.
   *
   * @param {string} session
   * @param {string} tester
   * @param {() => number[]} held
   * @param {() => boolean} hurried
   * @param {() => number} [leaving]
   */
  constructor(session, tester, held, hurried, leaving = () => 0) {
    this.session = session;
    this.tester = tester;
    this.held = held;
    this.hurried = hurried;
    this.leaving = leaving;
    this.outbox = new Outbox(session, tester);
    /** @type {(name: string, message: object) => void} */
    this.send = () => {}; // Streamlit's, again with each delivery
    /** @type {{ ids: string[], at: number, tries: number } | null} */
    this.flight = null; // the message not answered yet
    /** @type {string | undefined} */
    this.page = undefined;
    this.lastSent = -Infinity;
    this.lastAsked = -Infinity;
  }

  stop() {
    clearTimeout(this.later);
  }

  /**
   * A delivery came: forgets the message in flight once all its events are settled, or where the server no longer knows of it.
   *
   * @param {string} [page] under which the server knows this page: another one after its restart, or a new connection
   */
  landed(page) {
    if (page !== this.page) this.flight = null;
    this.page = page;
    if (this.flight && !this.flight.ids.some((id) => this.outbox.waiting.has(id))) this.flight = null;
  }

  /**
   * Sends what waits; `atOnce` does not wait for an answer to the message before.
   *
   * @param {boolean} [atOnce]
   */
  flush(atOnce = false) {
    this.stop();
    const events = this.outbox.events.slice(0, MOST_SENT);
    if (!events.length) return;
    const now = performance.now();
    let wait = this.hurried() ? 0 : this.lastSent + PAUSE - now;
    if (this.flight) wait = this.flight.at + RESEND[Math.min(this.flight.tries, RESEND.length - 1)] - now;
    wait = Math.max(atOnce ? 0 : wait, this.leaving());
    if (wait > 0) {
      this.later = setTimeout(() => this.flush(), wait);
      return;
    }
    this.flight = { ids: events.map((event) => event.id), at: now, tries: this.flight ? this.flight.tries + 1 : 0 };
    this.lastSent = now;
    this.post(events);
    this.later = setTimeout(() => this.flush(), RESEND[0]);
  }

  // Asks for inputs by a message without events.
  ask() {
    if (this.leaving() || performance.now() - this.lastAsked < ASK_AGAIN) return;
    this.lastAsked = performance.now();
    this.post([]);
  }

  /** @param {SurfaceEvent[]} events */
  post(events) {
    const { session, tester } = this;
    this.send("events", { session, tester, events, held: this.held(), now: new Date().toISOString() });
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
