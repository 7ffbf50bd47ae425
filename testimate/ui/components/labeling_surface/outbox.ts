// Events not known to be stored: kept here and in localStorage until Python says they are on disk.

import type { SurfaceEvent } from "./types.ts";

export function newId(): string {
  if (crypto.randomUUID) return crypto.randomUUID();
  // randomUUID is missing where the page comes over plain http from another machine
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

const LONGEST_ID = 200; // the server names what it refuses by its id, up to that length

// What was kept, or null where it is no event that could be sent.
function read(text: string | null): { event: SurfaceEvent, place: number } | null {
  try {
    const kept = JSON.parse(text ?? "null");
    const { id } = kept.event;
    return typeof id === "string" && id.length <= LONGEST_ID ? kept : null;
  } catch {
    return null;
  }
}

export class Outbox {
  session: string;
  tester: string;
  prefix: string;
  counter: string;
  waiting: Map<string, { event: SurfaceEvent, since: number }>;
  last: number;

  constructor(session: string, tester: string) {
    this.session = session;
    this.tester = tester;
    const owner = `${encodeURIComponent(session)} ${encodeURIComponent(tester)}`;
    this.prefix = `testimate ${owner} `;
    this.counter = `testimate-place ${owner}`; // holds the last place that any tab gave, so that no event is read for it
    this.waiting = new Map(); // id -> {event, since}, in the order the tester made them
    this.last = 0; // place of the last event, in that order
    for (const { event, place } of this.kept()) {
      this.waiting.set(event.id, { event, since: performance.now() });
      this.last = Math.max(this.last, place || 0);
    }
  }

  // What this page and others, open or closed, could not deliver yet, by place: the clock may have been set back
  // meanwhile.
  kept(): { event: SurfaceEvent, place: number }[] {
    const found = [];
    try {
      for (const name of this.names()) {
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

  // Under which this and other pages keep what waits.
  names() {
    const all = Array.from({ length: localStorage.length }, (_, number) => localStorage.key(number) ?? "");
    return all.filter((name) => name.startsWith(this.prefix));
  }

  add(event: SurfaceEvent) {
    this.waiting.set(event.id, { event, since: performance.now() });
    this.last += 1;
    try {
      this.last = Math.max(this.last, Number(localStorage.getItem(this.counter)) + 1 || 0);
      localStorage.setItem(this.prefix + event.id, JSON.stringify({ event, place: this.last }));
      localStorage.setItem(this.counter, String(this.last));
    } catch {
      // storage full or forbidden: the banner still says what is not stored
    }
  }

  // Stored or refused for good: true where it was waiting.
  remove(id: string) {
    const waited = this.waiting.delete(id);
    try {
      localStorage.removeItem(this.prefix + id);
      if (!this.size && !this.names().length) localStorage.removeItem(this.counter);
    } catch {
      // as in add
    }
    return waited;
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

  // By row, the last waiting event that settles or reopens it.
  lastOfRows(): Map<number, SurfaceEvent> {
    const last = new Map();
    for (const event of this.events) if (!["flag", "codes"].includes(event.kind)) last.set(event.row, event);
    return last;
  }
}
