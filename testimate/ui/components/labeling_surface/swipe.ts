// A swipe over the input with a finger, where there are two answers: to one side for each (decision 245).

const FAR = 70; // pixels a finger has to go
const LEVEL = 2; // times as far sideways as up or down, or it was a scroll
const QUICK = 800; // milliseconds it may take

export type Side = "left" | "right";

export class Swipe {
  box: HTMLElement;
  swiped: (side: Side) => void;
  wanted: () => boolean;
  from: { id: number, x: number, y: number, at: number } | null;

  // swiped: called with the side; wanted: whether a swipe means anything now.
  constructor(
    box: HTMLElement,
    signal: AbortSignal,
    { swiped, wanted }: { swiped: (side: Side) => void, wanted: () => boolean },
  ) {
    this.box = box;
    this.swiped = swiped;
    this.wanted = wanted;
    // where the finger came down
    this.from = null;
    box.addEventListener("pointerdown", (event) => this.down(event), { signal });
    box.addEventListener("pointermove", (event) => this.move(event), { signal });
    box.addEventListener("pointerup", (event) => this.up(event), { signal });
    box.addEventListener("pointercancel", () => this.rest(), { signal });
  }

  down(event: PointerEvent) {
    const { pointerId: id, clientX: x, clientY: y, timeStamp: at } = event;
    if (this.from !== null) this.rest(); // a second finger zooms or scrolls
    else if (event.pointerType === "touch" && this.wanted()) this.from = { id, x, y, at };
  }

  // The input follows the finger, so that one sees what is about to happen.
  move(event: PointerEvent) {
    if (this.from === null || event.pointerId !== this.from.id) return;
    const side = this.sideOf(event);
    this.box.style.setProperty("--swiped", `${Math.round(event.clientX - this.from.x)}px`);
    this.box.dataset.swipe = side ?? "";
  }

  up(event: PointerEvent) {
    const side = this.from !== null && event.pointerId === this.from.id ? this.sideOf(event) : null;
    this.rest();
    if (side !== null && this.wanted()) this.swiped(side);
  }

  rest() {
    this.from = null;
    this.box.style.removeProperty("--swiped");
    this.box.dataset.swipe = "";
  }

  // Which answer the finger has chosen by now; null where it has not gone far enough, or not sideways.
  sideOf(event: PointerEvent): Side | null {
    if (this.from === null) return null;
    const [across, down] = [event.clientX - this.from.x, event.clientY - this.from.y];
    const late = event.timeStamp - this.from.at > QUICK;
    if (late || Math.abs(across) < FAR || Math.abs(across) < LEVEL * Math.abs(down)) return null;
    return across < 0 ? "left" : "right";
  }
}
