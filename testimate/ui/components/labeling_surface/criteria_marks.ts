// What was said about one output so far: the grade by each criterion, what was skipped, and every step back.

export const SKIPPED = -1;

export class CriteriaMarks {
  counts: number[];
  places: (number | null)[];
  at: number;
  steps: (() => void)[];
  again: boolean;

  /**
   * @param counts how many grades each criterion has
   * @param before an earlier answer: the place of each grade, SKIPPED for one left out; empty where there is none
   */
  constructor(counts: number[], before: number[] = []) {
    this.counts = counts;
    this.places = counts.map((_, criterion) => before[criterion] ?? null);
    this.at = 0; // the criterion whose keys count
    this.steps = []; // what takes each step back, the last one last
    this.again = before.length > 0;
  }

  /** @param place of the grade, or SKIPPED; anything else changes nothing */
  give(criterion: number, place: number) {
    const count = this.counts[criterion];
    if (count === undefined || !Number.isInteger(place) || place < SKIPPED || place >= count) return;
    const before = { place: this.places[criterion], at: this.at };
    this.places[criterion] = place;
    this.steps.push(() => {
      this.places[criterion] = before.place;
      this.at = before.at;
    });
    const { length } = this.places;
    const next = this.places.findIndex((one, place_) => one === null && place_ > criterion);
    const first = this.places.indexOf(null);
    this.at = next >= 0 ? next : first >= 0 ? first : Math.min(criterion + 1, length - 1);
  }

  choose(by: number) {
    const { length } = this.places;
    this.at = (this.at + by + length) % length;
  }

  /** @returns whether there was a step to take back */
  back(): boolean {
    const step = this.steps.pop();
    step?.();
    return step !== undefined;
  }

  // Which criteria are neither answered nor skipped.
  get open(): number[] {
    return this.places.flatMap((place, criterion) => (place === null ? [criterion] : []));
  }

  // Whether the last of them was just given, so that nothing is left to ask; an earlier answer is stored by Enter.
  get complete() {
    return !this.again && this.places.length > 0 && this.open.length === 0;
  }

  /** @returns the places, null where all are skipped, undefined while one is open */
  answer(): number[] | null | undefined {
    if (this.open.length) return undefined;
    const places = this.places.map((place) => place ?? SKIPPED);
    return places.every((place) => place === SKIPPED) ? null : places;
  }
}

/**
 * The key of a grade: its own digit where every grade is a number, else its number in the row; "" where there is none.
 *
 * @param grades of the criterion, in the order in which they stand
 */
export function gradeKey(grades: string[], place: number): string {
  const numbers = grades.every((grade) => /^[0-9.]+$/.test(grade));
  const key = numbers ? grades[place] : String(place + 1);
  return /^[0-9]$/.test(key) ? key : "";
}

/** An answer in words, as tasks/criteria.py writes it. */
export function criteriaWords(answer: number[], criteria: { name: string, grades: string[] }[]): string {
  return criteria.map(({ name, grades }, place) => `${name} ${grades[answer[place] ?? SKIPPED] ?? "–"}`).join("; ");
}
