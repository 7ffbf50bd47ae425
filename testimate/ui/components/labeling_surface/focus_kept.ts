// Where the keyboard's focus is while the surface is in use.
//
// A screen reader moves over a page by single letters and digits ("3" goes to the next heading of level 3). It leaves them to
// the page only while the focus is inside an application, which the surface is. In a notebook they are the notebook's own keys.
// Orca notices an application that takes the focus only inside another one, so the stage is one too and has the focus:
// decision 236.

import { focused, part } from "../elements.ts";

export class FocusKept {
  stage: HTMLElement;
  here: boolean;

  constructor(frame: HTMLElement, signal: AbortSignal) {
    this.stage = part(frame, ".stage");
    this.here = false; // whether the focus, or the pointer, was inside last
    const inside = (event: Event) => event.composedPath().includes(frame);
    document.addEventListener("focusin", (event) => { this.here = inside(event); }, { signal });
    frame.addEventListener("focusin", () => { this.here = true; }, { signal }); // from one part to another nobody else hears it
    document.addEventListener("pointerdown", (event) => {
      this.here = inside(event);
      if (this.here && !focused(frame)?.matches("input, select")) this.take();
    }, { signal });
    this.stage.addEventListener("focusout", () => this.stage.classList.remove("unasked"), { signal });
    // before the surface sees the key, whose answer may replace the text that has the focus
    window.addEventListener("keydown", ({ key }) => {
      if (key === "Tab") this.here = false; // whoever leaves the last field is not held here
      const there = focused(frame); // to give the stage what it has would lay the page out at every key
      if (this.here && there !== this.stage && there?.closest(".stage") && (key.length === 1 || key === "Backspace")) this.take();
      setTimeout(() => this.keep());
    }, { signal, capture: true });
  }

  // Takes the focus where nothing has it, or the link that led to this page.
  arrive() {
    const active = document.activeElement;
    const led = active instanceof HTMLAnchorElement && active.pathname === location.pathname;
    if (active === null || active === document.body || led) this.take();
  }

  // Takes the focus again where what had it inside is gone.
  keep() {
    if (this.here && document.activeElement === document.body) this.take();
  }

  take() {
    this.stage.classList.add("unasked");
    this.stage.focus({ preventScroll: true });
  }
}
