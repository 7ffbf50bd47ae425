// Sends events to Python: one message at a time, again and again until each is acknowledged or refused.

import { Outbox } from "./outbox.ts";

import type { SurfaceEvent } from "./types.ts";

const LOUD_AFTER = 3000; // milliseconds an event may wait before the surface says so
const PAUSE = 300; // milliseconds between messages, so that the page's script has time to redraw the rest
const RESEND = [3000, 6000, 12000]; // milliseconds before an unanswered message goes out again
const ASK_AGAIN = 2000; // milliseconds between questions for inputs
const MOST_SENT = 200; // events of one session in one message

// When what is not answered goes out again: the later, the more often it did.
export class Resending {
  leaving: () => number;
  tries: number;
  sentAt: number;
  later: ReturnType<typeof setTimeout> | undefined;

  /** @param leaving says for how many milliseconds nothing may be sent, as the tester leaves the page */
  constructor(leaving: () => number) {
    this.leaving = leaving;
    this.tries = 0; // messages since the last answer
    this.sentAt = -Infinity;
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
   * @param again what calls this
   * @param when pause: milliseconds since the message before, where that is answered; atOnce: does not wait for an answer
   */
  work(send: () => void, again: () => void, { pause = 0, atOnce = false }: { pause?: number, atOnce?: boolean } = {}) {
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
 * @param held rows whose content is here
 */
export function messageOf(outbox: Outbox, held: number[], events: SurfaceEvent[] = outbox.events.slice(0, MOST_SENT)) {
  return { session: outbox.session, tester: outbox.tester, events, held, now: new Date().toISOString() };
}

export class EventSender {
  held: () => number[];
  hurried: () => boolean;
  leaving: () => number;
  outbox: Outbox;
  resending: Resending;
  send: (name: string, message: object) => void;
  flight: string[];
  page: string | undefined;
  lastAsked: number;

  // held: call that lists the rows whose content is here; hurried: call that says whether few inputs are left; leaving:
  // as Resending takes it.
  constructor(session: string, tester: string, held: () => number[], hurried: () => boolean, leaving: () => number = () => 0) {
    this.held = held;
    this.hurried = hurried;
    this.leaving = leaving;
    this.outbox = new Outbox(session, tester);
    this.resending = new Resending(leaving);
    this.send = () => {}; // Streamlit's, again with each delivery
    this.flight = []; // ids in the message not answered yet
    this.page = undefined;
    this.lastAsked = -Infinity;
  }

  stop() {
    this.resending.stop();
  }

  /**
   * A delivery came: forgets the message in flight once all its events are settled, or where the server no longer knows
   * of it.
   *
   * @param page under which the server knows this page: another one after its restart, or a new connection
   */
  landed(page?: string) {
    if (page !== this.page || !this.flight.some((id) => this.outbox.waiting.has(id))) this.resending.answered();
    this.page = page;
  }

  // Sends what waits; `atOnce` does not wait for an answer to the message before.
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

  // Asks for inputs.
  ask() {
    if (this.leaving() || performance.now() - this.lastAsked < ASK_AGAIN) return;
    this.lastAsked = performance.now();
    this.callAgain();
  }

  // Has Python's script run again, by a message with the events in flight alone: of two messages that come while the script
  // runs Streamlit keeps the later one, so without them the earlier would be lost and wait for its next turn.
  callAgain() {
    const flying = this.flight.flatMap((id) => this.outbox.waiting.get(id)?.event ?? []);
    this.send("events", messageOf(this.outbox, this.held(), flying));
  }

  // What to say aloud about events that wait too long, or "".
  complaint(): string {
    const { size } = this.outbox;
    if (!size || (this.outbox.age() <= LOUD_AFTER && navigator.onLine !== false)) return "";
    const labels = size === 1 ? "1 label" : `${size} labels`;
    return `${labels} not saved yet. Keep this page open. Testimate keeps trying.`;
  }
}
