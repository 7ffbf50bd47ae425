// The input under judgment: pictures crisp and zoomable, sounds to be played, text and table rows as plain text.

import { clickedButton, element, numbered, part } from "../elements.ts";
import { isSmall } from "./content.ts";
import { DAMAGED_SOUND } from "./sound.ts";
import { tableOf, textOf } from "./written.ts";

import type { Sound } from "./sound.ts";
import type { Plot } from "./series.ts";
import type { Content, Panes } from "./types.ts";

const DEEPEST = 16; // times the size that fits

type Point = { x: number, y: number };

export class Stage {
  box: HTMLElement;
  place: HTMLElement;
  calm: HTMLElement;
  buttons: HTMLElement;
  image: HTMLImageElement | null;
  sized: HTMLElement | null;
  plot: Plot | null;
  panes: Panes | null;
  sound: Sound | null;
  held: Map<number, Point>;
  view: { scale: number; x: number; y: number; };
  sizes: ResizeObserver;

  constructor(frame: HTMLElement, signal: AbortSignal) {
    this.box = part(frame, ".stage");
    this.place = part(frame, ".input");
    this.calm = part(frame, ".calm");
    this.buttons = part(frame, ".zoom");
    this.image = null;
    this.sized = null; // the picture, or the picture with its boxes
    this.plot = null;
    this.panes = null;
    this.sound = null;
    this.held = new Map(); // pointer -> where it is: one drags the picture, two zoom it
    this.view = { scale: 1, x: 0, y: 0 };
    this.sizes = new ResizeObserver(() => this.fitImage());
    this.sizes.observe(this.box);
    signal.addEventListener("abort", () => { this.sizes.disconnect(); this.hush(); });
    type Events = HTMLElementEventMap;
    const on = <Name extends keyof Events>(name: Name, work: (event: Events[Name]) => void, options?: object) =>
      this.box.addEventListener(name, work, { signal, ...options });
    on("wheel", (event) => this.wheel(event), { passive: false });
    on("pointerdown", (event) => this.grab(event));
    on("pointermove", (event) => this.drag(event));
    on("pointerup", (event) => this.held.delete(event.pointerId));
    on("pointercancel", (event) => this.held.delete(event.pointerId));
    on("dblclick", () => this.fit());
    part(this.buttons, ".zoom-in").addEventListener("click", () => this.zoom(1.5), { signal });
    part(this.buttons, ".zoom-out").addEventListener("click", () => this.zoom(1 / 1.5), { signal });
    part(this.buttons, ".zoom-fit").addEventListener("click", () => this.fit(), { signal });
  }

  show(content: Content, row: number) {
    this.calm.hidden = true;
    this.hush();
    this.image = null;
    this.panes = content.panes ?? null;
    this.plot = content.plot ?? null;
    this.buttons.hidden = !this.plot;
    this.box.classList.toggle("zoomable", this.plot !== null);
    this.plot?.fit();
    this.place.replaceChildren(this.nodeOf(content, row));
    this.place.scrollTop = 0;
    if (content.panes) this.sound = content.panes.sounds[0] ?? null;
    if (content.sound && !content.broken) {
      this.sound = content.sound;
      content.ready?.then(() => { // what is damaged says so, once it is known
        if (content.broken && this.sound === content.sound) this.show(content, row);
      });
    }
    if (content.image && !content.broken) {
      this.image = content.image;
      this.sized = content.overlay ?? content.image;
      this.fit();
      // a picture that is not decoded yet has no size to fit
      if (!content.image.naturalWidth) content.ready?.then(() => this.image === content.image && this.show(content, row));
    }
  }

  // An input that left the stage is not heard any longer.
  hush() {
    for (const sound of this.panes?.sounds ?? []) sound.stop();
    if (this.sound) this.sound.stop();
    this.sound = null;
  }

  rest(words: string) {
    this.hush();
    this.image = null;
    this.panes = null;
    this.plot = null;
    this.buttons.hidden = true;
    this.place.replaceChildren();
    this.calm.textContent = words;
    this.calm.hidden = false;
  }

  nodeOf(content: Content, row: number): HTMLElement {
    if (content.sound) return content.broken ? element("p", "unseen", DAMAGED_SOUND) : content.sound.node;
    if (content.broken) return element("p", "unseen", "This picture can't be shown. Its data are damaged.");
    if (content.image) return content.overlay ?? content.image;
    if (content.plot) return content.plot.node;
    if (content.panes) return content.panes.node;
    if (content.cells) return tableOf(content.cells, row);
    return textOf(content.text ?? "", `text of input ${numbered(row)}`, content.code);
  }

  get zoomable() {
    return this.plot !== null || (this.image !== null && this.image.naturalWidth > 0 && !isSmall(this.image));
  }

  fitImage() {
    const { image, sized } = this;
    if (!image || !sized || !image.naturalWidth) return;
    const room = Math.min(this.box.clientWidth / image.naturalWidth, this.box.clientHeight / image.naturalHeight);
    const small = isSmall(image);
    // whole multiples keep the pixels of a small picture equal in size
    const scale = small ? Math.max(1, Math.floor(room * 0.96)) : room;
    image.classList.toggle("crisp", small);
    sized.style.width = `${image.naturalWidth * scale}px`;
    sized.style.height = `${image.naturalHeight * scale}px`;
    this.buttons.hidden = !this.zoomable;
    this.box.classList.toggle("zoomable", this.zoomable);
  }

  fit() {
    this.plot?.fit();
    this.view = { scale: 1, x: 0, y: 0 };
    this.fitImage();
    this.settleImage();
  }

  // Zooms about a point of the stage, given from its middle.
  zoom(factor: number, x = 0, y = 0) {
    if (!this.zoomable) return;
    if (this.plot) {
      this.plot.zoom(factor);
      return;
    }
    const scale = Math.min(DEEPEST, Math.max(1, this.view.scale * factor));
    const ratio = scale / this.view.scale;
    this.view = { scale, x: x - (x - this.view.x) * ratio, y: y - (y - this.view.y) * ratio };
    this.settleImage();
  }

  settleImage() {
    const { sized } = this;
    if (!this.image || !sized) return;
    const { scale } = this.view;
    const most = (size: number, room: number) => Math.max(0, (size * scale - room) / 2);
    const limit = (value: number, bound: number) => Math.min(bound, Math.max(-bound, value));
    this.view.x = limit(this.view.x, most(sized.offsetWidth, this.box.clientWidth));
    this.view.y = limit(this.view.y, most(sized.offsetHeight, this.box.clientHeight));
    sized.style.setProperty("--zoom", String(scale));
    sized.style.transform = `translate(${this.view.x}px, ${this.view.y}px) scale(${scale})`;
  }

  wheel(event: WheelEvent) {
    if (!this.zoomable) return;
    event.preventDefault();
    this.zoomAt(Math.exp(-event.deltaY / 300), { x: event.clientX, y: event.clientY });
  }

  // Zooms about a point of the window.
  zoomAt(factor: number, { x, y }: Point) {
    if (this.plot) {
      this.plot.zoom(factor, this.plot.shareAt(x));
      return;
    }
    const box = this.box.getBoundingClientRect();
    this.zoom(factor, x - box.left - box.width / 2, y - box.top - box.height / 2);
  }

  grab(event: PointerEvent) {
    if (!this.zoomable || event.button !== 0 || event.composedPath().includes(this.buttons)) return;
    if (clickedButton(event, ".box")) return; // a captured pointer clicks on the stage alone
    this.held.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.box.setPointerCapture(event.pointerId);
  }

  drag(event: PointerEvent) {
    const before = this.held.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    this.held.set(event.pointerId, now);
    const others = [...this.held.values()].filter((one) => one !== now);
    if (others.length) this.pinch(before, now, others[0]);
    else this.move(before, now);
  }

  // One finger went from a place to another, the other one stayed: what was between them still is.
  pinch(before: Point, now: Point, other: Point) {
    const middle = (one: Point) => ({ x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 });
    const apart = (one: Point) => Math.max(1, Math.hypot(one.x - other.x, one.y - other.y));
    this.move(middle(before), middle(now));
    this.zoomAt(apart(now) / apart(before), middle(now));
  }

  move(from: Point, to: Point) {
    if (this.plot) {
      this.plot.drag(this.plot.shareAt(to.x) - this.plot.shareAt(from.x));
      return;
    }
    this.view = { ...this.view, x: this.view.x + to.x - from.x, y: this.view.y + to.y - from.y };
    this.settleImage();
  }
}
