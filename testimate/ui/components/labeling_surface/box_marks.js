// What was judged in one picture so far: which boxes are wrong, how many objects were missed, and every step back.

const MOST = 1000; // missed objects of a class

export class BoxMarks {
  /**
   * @param {number} boxes how many there are
   * @param {number} classes
   * @param {number[]} [before] an earlier answer: k for wrong box k, -1 - c for each missed object of class c
   */
  constructor(boxes, classes, before = []) {
    this.boxes = boxes;
    /** @type {Set<number>} */
    this.wrong = new Set(before.filter((one) => one >= 0 && one < boxes));
    /** @type {number[]} */
    this.missed = Array.from({ length: classes }, (_, place) => before.filter((one) => one === -1 - place).length);
    this.at = boxes ? 0 : -1; // the box that arrows have reached
    this.kind = 0; // the class that + and − count
    /** @type {(() => void)[]} */
    this.steps = []; // what takes each step back, the last one last
  }

  /** @param {number} place */
  turn(place) {
    if (place < 0 || place >= this.boxes) return;
    const flip = () => { if (!this.wrong.delete(place)) this.wrong.add(place); };
    flip();
    this.at = place;
    this.steps.push(flip);
  }

  /** @param {number} by */
  move(by) {
    if (this.boxes) this.at = (this.at + by + this.boxes) % this.boxes;
  }

  /** @param {number} by */
  choose(by) {
    const { length } = this.missed;
    this.kind = (this.kind + by + length) % length;
  }

  /**
   * @param {number} kind
   * @param {number} count whole, from 0 on; anything else changes nothing
   * @returns {boolean} whether it is such a number
   */
  count(kind, count) {
    if (!Number.isInteger(count) || count < 0 || count > MOST) return false;
    const before = this.missed[kind];
    this.kind = kind;
    if (count === before) return true;
    this.missed[kind] = count;
    this.steps.push(() => { this.missed[kind] = before; });
    return true;
  }

  /** @returns {boolean} whether there was a step to take back */
  back() {
    const step = this.steps.pop();
    step?.();
    return step !== undefined;
  }

  /** @returns {number[]} rising, as events hold it */
  answer() {
    const lost = this.missed.flatMap((count, kind) => Array.from({ length: count }, () => -1 - kind));
    return [...lost, ...this.wrong].sort((one, other) => one - other);
  }
}

/**
 * An answer in words, as core/boxes.py writes it.
 *
 * @param {number[]} answer
 * @param {string[]} objects the names of the classes
 * @returns {string}
 */
export function boxWords(answer, objects) {
  const wrong = answer.filter((one) => one >= 0).map((one) => String(one + 1));
  const counts = objects.map((_, kind) => answer.filter((one) => one === -1 - kind).length);
  const missed = objects.flatMap((name, kind) => (counts[kind] ? [`${name} ${counts[kind]}`] : []));
  const parts = [...(wrong.length ? [`wrong ${wrong.join(", ")}`] : []), ...(missed.length ? [`missed ${missed.join(", ")}`] : [])];
  return parts.join("; ") || "all right";
}
