// What the modules ask of a browser, as little as that is: storage, a clock, and elements that know their selectors.

export class Storage {
  #kept = new Map();
  get length() { return this.#kept.size; }
  key(place) { return [...this.#kept.keys()][place] ?? null; }
  getItem(name) { return this.#kept.get(name) ?? null; }
  setItem(name, value) { this.#kept.set(name, String(value)); }
  removeItem(name) { this.#kept.delete(name); }
}

// A clock that stands until it is moved; timers go off in their order while it moves.
export class Clock {
  #timers = new Map();
  #next = 1;
  now = 0;

  install() {
    set("performance", { now: () => this.now });
    set("setTimeout", (work, wait = 0) => {
      this.#timers.set(this.#next, { at: this.now + wait, work });
      return this.#next++;
    });
    set("clearTimeout", (id) => this.#timers.delete(id));
    return this;
  }

  forward(milliseconds) {
    const end = this.now + milliseconds;
    for (;;) {
      const [id, timer] = [...this.#timers].sort((a, b) => a[1].at - b[1].at)[0] ?? [];
      if (timer === undefined || timer.at > end) break;
      this.#timers.delete(id);
      this.now = timer.at;
      timer.work();
    }
    this.now = end;
  }
}

export function set(name, value) {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}

// An element that matches the selectors it is given, whatever parts these are lists of.
export class FakeElement {
  hidden = false;
  value = "";
  textContent = "";
  dataset = {};
  isConnected = true;
  isContentEditable = false;
  listeners = {};

  constructor(...selectors) { this.selectors = selectors; }
  matches(list) { return this.selectors.some((selector) => list.split(/, ?/).some((one) => one.startsWith(selector))); }
  addEventListener(name, work) { (this.listeners[name] ??= []).push(work); }
  focus() { FakeElement.active = this; }
  blur() { FakeElement.active = null; }
}
FakeElement.active = null;

const RealDate = Date;

// The date is that many seconds ahead from now on.
export function setDate(ahead) {
  set("Date", class extends RealDate {
    constructor(...given) {
      super(...(given.length ? given : [RealDate.now() + 1000 * ahead]));
    }
  });
}
