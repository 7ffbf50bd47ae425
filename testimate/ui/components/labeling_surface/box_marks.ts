// What was judged in one picture so far: which boxes are wrong, how many objects were missed, and every step back.

const MOST = 1000; // missed objects of a class

export class BoxMarks {
  boxes: number;
  wrong: Set<number>;
  missed: number[];
  at: number;
  kind: number;
  steps: (() => void)[];

  /**
   * @param boxes how many there are
   * @param before an earlier answer: k for wrong box k, -1 - c for each missed object of class c
   */
  constructor(boxes: number, classes: number, before: number[] = []) {
    this.boxes = boxes;
    this.wrong = new Set(before.filter((one) => one >= 0 && one < boxes));
    this.missed = Array.from({ length: classes }, (_, place) => before.filter((one) => one === -1 - place).length);
    this.at = boxes ? 0 : -1; // the box that arrows have reached
    this.kind = 0; // the class that + and − count
    this.steps = []; // what takes each step back, the last one last
  }

  turn(place: number) {
    if (place < 0 || place >= this.boxes) return;
    const flip = () => { if (!this.wrong.delete(place)) this.wrong.add(place); };
    flip();
    this.at = place;
    this.steps.push(flip);
  }

  move(by: number) {
    if (this.boxes) this.at = (this.at + by + this.boxes) % this.boxes;
  }

  choose(by: number) {
    const { length } = this.missed;
    this.kind = (this.kind + by + length) % length;
  }

  /**
   * @param count whole, from 0 on; anything else changes nothing
   * @returns whether it is such a number
   */
  count(kind: number, count: number): boolean {
    if (!Number.isInteger(count) || count < 0 || count > MOST) return false;
    const before = this.missed[kind];
    this.kind = kind;
    if (count === before) return true;
    this.missed[kind] = count;
    this.steps.push(() => { this.missed[kind] = before; });
    return true;
  }

  /** @returns whether there was a step to take back */
  back(): boolean {
    const step = this.steps.pop();
    step?.();
    return step !== undefined;
  }

  /** @returns rising, as events hold it */
  answer(): number[] {
    const lost = this.missed.flatMap((count, kind) => Array.from({ length: count }, () => -1 - kind));
    return [...lost, ...this.wrong].sort((one, other) => one - other);
  }
}

/**
 * An answer in words, as core/boxes.py writes it.
 *
 * @param objects the names of the classes
 */
export function boxWords(answer: number[], objects: string[]): string {
  const wrong = answer.filter((one) => one >= 0).map((one) => String(one + 1));
  const counts = objects.map((_, kind) => answer.filter((one) => one === -1 - kind).length);
  const missed = objects.flatMap((name, kind) => (counts[kind] ? [`${name} ${counts[kind]}`] : []));
  const parts = [...(wrong.length ? [`wrong ${wrong.join(", ")}`] : []), ...(missed.length ? [`missed ${missed.join(", ")}`] : [])];
  return parts.join("; ") || "all right";
}
