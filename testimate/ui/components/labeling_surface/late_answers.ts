// Answers a page was left with: whichever page is open hands over what this browser still holds, and says so until then.

import { part } from "../elements.ts";
import { mount } from "../mount.ts";
import { Resending, messageOf } from "./event_sender.ts";
import { Leaving } from "./leaving.ts";
import { Outbox } from "./outbox.ts";

import type { Given, Tell } from "../mount.ts";

// one delivery of Python
interface LateView {
  tester: string;
  leave: string; // the session whose labeling surface is on the page and sends its own; "" for none
  settled: string[]; // ids stored or refused for good
  strangers: string[]; // sessions that are not in this project, such as those of another server at this address
  reason: string; // why answers cannot be stored now, or ""
}

// The sessions for which this browser holds answers of the tester.
export function sessionsHeld(tester: string): string[] {
  const sessions = new Set<string>();
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

export function stillHere(count: number, reason: string) {
  const answers = count === 1 ? "1 answer is" : `${count} answers are`;
  const state = reason || "Saving…";
  return `${answers} still in this browser and not counted on this page. ${state}`;
}

export class LateAnswers {
  frame: HTMLElement;
  view: LateView | undefined;
  send: Tell;
  wanted: boolean;
  stopper: AbortController;
  resending: Resending;

  constructor(frame: HTMLElement) {
    this.frame = frame;
    this.view = undefined;
    this.send = () => {};
    this.wanted = false; // a download, which waits until everything is counted
    this.stopper = new AbortController();
    const leaving = new Leaving(frame, this.stopper.signal);
    this.resending = new Resending(() => leaving.wait);
    document.addEventListener("click", (event) => this.holdUp(event), { signal: this.stopper.signal, capture: true });
  }

  get closed() {
    return this.stopper.signal.aborted;
  }

  close() {
    this.resending.stop();
    this.stopper.abort();
  }

  deliver(view: LateView, send: Tell) {
    this.view = view;
    this.send = send;
    const settled = new Set(view.settled);
    let settledHere = false;
    for (const outbox of this.outboxes()) {
      for (const { id } of outbox.events) if (settled.has(id)) settledHere = outbox.remove(id) || settledHere;
    }
    if (settledHere) this.resending.answered();
    this.flush();
  }

  /** @returns one per session with answers to hand over */
  outboxes(): Outbox[] {
    const { view } = this;
    if (!view) return [];
    const sessions = sessionsHeld(view.tester).filter((one) => one !== view.leave && !view.strangers.includes(one));
    return sessions.map((session) => new Outbox(session, view.tester)).filter((outbox) => outbox.size);
  }

  // Sends what is held, again and again until each answer is settled.
  flush() {
    this.resending.stop();
    const outboxes = this.outboxes();
    this.draw(outboxes);
    if (!outboxes.length) return;
    const send = () => this.send("messages", outboxes.map((outbox) => messageOf(outbox, [])));
    this.resending.work(send, () => this.flush());
  }

  draw(outboxes: Outbox[]) {
    const count = outboxes.reduce((sum, outbox) => sum + outbox.size, 0);
    if (!count) this.wanted = false;
    const state = this.view?.reason || "Saving…";
    const words = count ? stillHere(count, this.wanted ? `${state} Download once they are counted.` : state) : "";
    if (this.frame.textContent !== words) this.frame.textContent = words; // a screen reader says it once
    this.frame.hidden = !count;
  }

  // A file made now would lack the answers held here, and nobody would see it in the file.
  holdUp(event: Event) {
    const target = event.target as Element | null;
    if (!target?.closest("[data-testid=stDownloadButton]") || !this.outboxes().length) return;
    event.stopPropagation();
    event.preventDefault();
    this.wanted = true;
    this.draw(this.outboxes());
  }
}

const MARKUP = {
  html: '<div class="late" role="status" hidden></div>',
  css: `
.late {
  padding: 8px 14px;
  border-left: 4px solid #d55e00;
  border-radius: var(--st-base-radius, 6px);
  background: color-mix(in srgb, #d55e00 14%, var(--st-background-color, #fff));
  color: var(--st-text-color, #222);
  font: 600 14px/1.4 var(--st-font, sans-serif);
}
.late[hidden] { display: none; }
`,
};

export default function ({ parentElement, data: [data], setTriggerValue }: Given<[LateView]>) {
  const make = (box: HTMLElement) => new LateAnswers(part(box, ".late"));
  return mount(parentElement, MARKUP, make, (late) => late.deliver(data, setTriggerValue));
}
