// A page without a screen: the surface's own sender, outbox and order of inputs. What a key does follows surface.ts, less what
// is drawn, the pause before an input that came by itself takes a key, and notes.

import { EventSender } from "../../testimate/ui/components/labeling_surface/event_sender.ts";
import { newId } from "../../testimate/ui/components/labeling_surface/outbox.ts";
import { lastAnswers, openRows } from "../../testimate/ui/components/labeling_surface/standing.ts";

const FEW = 5; // as the surface: with fewer inputs left nothing waits
const MOST_HELD = 64;

export class ScreenlessPage {
  /**
   * say: takes what happens, one of {send: message}, {pressed: event and the input seen}, {settled: ids}, {refused: {id: why}}
   * and {empty: true}, after a key without an input.
   */
  constructor(say) {
    this.say = say;
    this.reload();
  }

  // The page is opened again: what is kept is the browser's storage alone.
  reload() {
    this.sender?.stop();
    this.view = null;
    this.sender = null;
    this.inputs = new Map();
    this.done = []; // rows settled here, the last one last: what undo takes back
    this.wanted = null; // a row taken back
    this.row = null; // on the screen
  }

  get waiting() {
    return this.sender?.outbox.size ?? 0;
  }

  open() {
    return this.view === null ? [] : openRows(this.view, this.sender.outbox).filter((row) => this.inputs.has(row));
  }

  follow() {
    const open = this.open();
    if (this.wanted !== null && open.includes(this.wanted)) {
      this.row = this.wanted;
      this.wanted = null;
    } else if (this.row === null || !open.includes(this.row)) this.row = open[0] ?? null;
  }

  deliver(next) {
    const first = this.view === null;
    this.view = next;
    if (first) {
      const held = () => [...this.inputs.keys()];
      this.sender = new EventSender(next.session, next.tester, held, () => this.open().length < FEW);
      this.sender.send = (_name, message) => this.say({ send: message });
    }
    const { outbox } = this.sender;
    const settled = next.acknowledged.filter((id) => outbox.remove(id));
    if (settled.length) this.say({ settled });
    for (const [id, why] of Object.entries(next.refused)) if (outbox.remove(id)) this.say({ refused: { [id]: why } });
    for (const item of [...next.queue, ...next.history]) this.hold(item);
    for (const row of this.inputs.keys()) if (this.inputs.size > MOST_HELD) this.inputs.delete(row);
    this.sender.landed(next.page);
    this.follow();
    this.sender.flush();
    if (this.row === null && next.waiting && !outbox.size) this.sender.ask();
  }

  // The number in the content is what a tester sees; the row is only what came with it.
  hold({ row, position, shown }) {
    const seen = shown ? Number(/input (\d+)/.exec(JSON.stringify(shown))[1]) : this.inputs.get(row)?.seen;
    if (seen === undefined) return;
    this.inputs.delete(row);
    this.inputs.set(row, { seen, position });
  }

  // The answer is that of the input on the screen: under another row it would be an answer on a wrong input.
  press() {
    if (this.row === null) {
      this.say({ empty: true });
      this.sender?.ask();
      return;
    }
    const { row } = this;
    this.emit("answer", row, { answer: this.inputs.get(row).seen % 4 });
    this.done = [...this.done.filter((other) => other !== row), row];
    this.wanted = null;
    this.row = null;
    this.follow();
    this.sender.flush();
  }

  undo() {
    const row = this.done.pop() ?? (this.view && lastAnswers(this.view, this.sender.outbox).at(-1)?.row);
    if (row === undefined || row === null) return;
    this.emit("undo", row);
    this.wanted = row;
    this.follow();
    this.sender.flush();
  }

  emit(kind, row, more = {}) {
    const { seen, position } = this.inputs.get(row) ?? { position: 0 };
    const event = { id: newId(), kind, row, position, at: new Date().toISOString(), seconds: 0.5, ...more };
    this.sender.outbox.add(event);
    this.say({ pressed: { id: event.id, kind, row, answer: event.answer ?? null, seen: seen ?? null } });
  }
}
