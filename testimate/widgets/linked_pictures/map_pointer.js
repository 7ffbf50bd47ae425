// While the pointer rests on a point its input is shown beside it; what is not known yet is asked for, once at a time.
const WAIT = 40; // milliseconds the pointer rests before the server is asked

class MapPointer {
  constructor(card) {
    this.card = card;
    this.known = new Map();
    this.row = null;
    this.asked = null;
    this.chart = null;
    this.hover = (event) => this.over(event);
    this.unhover = () => this.away();
    this.click = ({ points }) => { // Streamlit takes no click as a pick while the lasso is chosen
      const row = rowOf(points?.[0]);
      if (row !== null) this.ask("clicked", row);
    };
    this.leave = (event) => { if (this.row !== null && !this.chart?.contains(event.target)) this.away(); };
    this.scroll = () => this.away();
    document.addEventListener("pointermove", this.leave, { passive: true });
    document.addEventListener("scroll", this.scroll, { passive: true, capture: true });
    this.watch = setInterval(() => this.attach(), 300);
  }

  deliver({ plot, name, looks }, ask) {
    if (name !== this.name) this.known.clear();
    Object.assign(this, { plot, name, ask });
    for (const [row, look] of Object.entries(looks)) this.known.set(Number(row), look);
    this.asked = null;
    this.attach();
    if (this.row !== null) this.show();
  }

  // Streamlit may draw the chart anew at any time: then its events are listened to anew.
  attach() {
    const chart = plotOf(this.plot);
    if (chart === this.chart && chart?.testimatePointer === this) return;
    this.detach();
    if (!chart?.on) return;
    this.chart = chart;
    chart.testimatePointer = this;
    chart.on("plotly_hover", this.hover);
    chart.on("plotly_unhover", this.unhover);
    chart.on("plotly_click", this.click);
  }

  detach() {
    this.chart?.removeListener?.("plotly_hover", this.hover);
    this.chart?.removeListener?.("plotly_unhover", this.unhover);
    this.chart?.removeListener?.("plotly_click", this.click);
    if (this.chart?.testimatePointer === this) delete this.chart.testimatePointer;
    this.chart = null;
  }

  over({ points, event }) {
    const row = rowOf(points?.[0]);
    if (row === null) return;
    this.row = row;
    this.place = placeOf(this.chart, row) ?? { x: event.clientX, y: event.clientY };
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.show(), this.known.has(row) ? 0 : WAIT);
  }

  away() {
    clearTimeout(this.timer);
    this.row = null;
    this.card.hidden = true;
  }

  show() {
    const look = this.known.get(this.row);
    if (!look) {
      if (this.asked === null) {
        this.asked = this.row;
        this.ask("asked", this.row);
        setTimeout(() => { this.asked = null; }, 3000); // an answer that got lost does not end it
      }
      return;
    }
    const lines = look.lines.map((line, place) => element("span", place ? "why" : "title", line));
    this.card.replaceChildren(lookOf(look, { silent: true }), ...lines);
    this.card.dataset.row = this.row;
    this.card.hidden = false;
    const { width, height } = this.card.getBoundingClientRect();
    const right = this.place.x + 18 + width < innerWidth;
    const left = right ? this.place.x + 18 : this.place.x - 18 - width;
    const top = Math.min(Math.max(8, this.place.y - height / 2), innerHeight - height - 8);
    this.card.style.translate = `${left}px ${top}px`;
  }

  close() {
    clearInterval(this.watch);
    document.removeEventListener("pointermove", this.leave);
    document.removeEventListener("scroll", this.scroll, { capture: true });
    this.away();
    this.detach();
  }
}

const POINTERS = new WeakMap(); // by shadow root: Streamlit calls the module again with every delivery

export default function ({ parentElement: root, data, setTriggerValue }) {
  const card = root.querySelector(".pointer");
  let pointer = POINTERS.get(root);
  if (!pointer || pointer.card !== card || pointer.closed) {
    pointer?.close();
    pointer = new MapPointer(card);
    POINTERS.set(root, pointer);
  }
  pointer.deliver(data, setTriggerValue);
  pointer.turn = (pointer.turn ?? 0) + 1;
  const { turn } = pointer;
  // Streamlit also cleans up after a delivery that a newer one overtook: only the newest delivery may end it
  return () => setTimeout(() => {
    if (turn !== pointer.turn) return;
    pointer.closed = true;
    pointer.close();
  }, 50);
}
