// Events not known to be stored: kept here and in localStorage until Python says they are on disk.

/** @import { SurfaceEvent } from "./types.js" */

/** @returns {string} */
export function newId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  // randomUUID is missing where the page comes over plain http from another machine
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

const LONGEST_ID = 200; // the server names what it refuses by its id, up to that length

/**
 * What was kept, or null where it is no event that could be sent.
 *
 * @param {string | null} text
 * @returns {{ event: SurfaceEvent, place: number } | null}
 */
function read(text) {
  try {
    const kept = JSON.parse(text ?? "null");
    const { id } = kept.event;
    return typeof id === "string" && id.length <= LONGEST_ID ? kept : null;
  } catch {
    return null;
  }
}

export class Outbox {
  /**
   * @param {string} session
   * @param {string} tester
   */
  constructor(session, tester) {
    this.session = session;
    this.prefix = `testimate ${encodeURIComponent(session)} ${encodeURIComponent(tester)} `;
    /** @type {Map<string, { event: SurfaceEvent, since: number }>} */
    this.waiting = new Map(); // id -> {event, since}, in the order the tester made them
    this.last = 0; // place of the last event, in that order
    for (const { event } of this.kept()) this.waiting.set(event.id, { event, since: performance.now() });
  }

  /**
   * What this page and others, open or closed, could not deliver yet, by place: the clock may have been set back meanwhile.
   *
   * @returns {{ event: SurfaceEvent, place: number }[]}
   */
  kept() {
    const found = [];
    try {
      const names = Array.from({ length: localStorage.length }, (_, number) => localStorage.key(number));
      for (const name of names) {
        if (!name?.startsWith(this.prefix)) continue;
        const kept = read(localStorage.getItem(name));
        if (kept) found.push(kept);
        else localStorage.removeItem(name); // no event: nothing could ever say that it is stored
      }
    } catch {
      // no storage on this site: then only this page's memory holds the events
    }
    // two tabs may give the same place at the same time
    return found.sort((a, b) => a.place - b.place || Number(a.event.at > b.event.at) - Number(a.event.at < b.event.at));
  }

  /** @param {SurfaceEvent} event */
  add(event) {
    this.waiting.set(event.id, { event, since: performance.now() });
    this.last = this.kept().reduce((last, { place }) => Math.max(last, place || 0), this.last) + 1;
    try {
      localStorage.setItem(this.prefix + event.id, JSON.stringify({ event, place: this.last }));
    } catch {
      // storage full or forbidden: the banner still says what is not stored
    }
  }

  /**
   * Stored or refused for good: true where it was waiting.
   *
   * @param {string} id
   */
  remove(id) {
    try {
      localStorage.removeItem(this.prefix + id);
    } catch {
      // as in add
    }
    return this.waiting.delete(id);
  }

  get events() {
    return Array.from(this.waiting.values(), (entry) => entry.event);
  }

  get size() {
    return this.waiting.size;
  }

  // Milliseconds the oldest event has waited.
  age() {
    const [first] = this.waiting.values();
    return first ? performance.now() - first.since : 0;
  }

  /**
   * By row, the last waiting event that settles or reopens it.
   *
   * @returns {Map<number, SurfaceEvent>}
   */
  lastOfRows() {
    const last = new Map();
    for (const event of this.events) if (event.kind !== "flag") last.set(event.row, event);
    return last;
  }
}
