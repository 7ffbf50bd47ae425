// The records that the modules hand to each other, as TypeScript reads them; view.py and browser_events.py hold the same.

import type { Sound } from "./sound.ts";
import type { Plot } from "./series.ts";
import type { Panel } from "./panel.ts";

// What a tester did: see Event in testimate/core/vote.py.
export interface SurfaceEvent {
  id: string;
  kind: string; // "answer", "cannot tell", "skip", "undo", "flag" or "codes"
  row: number;
  position: number;
  at: string; // ISO 8601 in UTC
  seconds?: number | null;
  answer?: Answer;
  note?: string;
  reason?: string; // why, with an answer
  codes?: string[]; // why it failed
}

// a class's place, several of them, a number, or what is wrong with boxes; a text is the name of what is none of the classes
export type Answer = number | string | (number | string)[] | null;

// what a kind of answer is on the surface
export interface Kind {
  given: "one" | "several" | "number" | "panel"; // by a button, by several, typed, or on a panel of its own
  graded?: boolean; // whether its buttons are the grades of a scale
  Panel?: new (frame: HTMLElement, signal: AbortSignal, seen: () => boolean, changed: () => void) => Panel;
  words: (answer: Answer, task: Task) => string;
  howTo: (task: Task, ways: Ways) => string; // how one answers, in a sentence or two
}

// to name a class
interface Ways {
  letters: boolean; // classes are letters, and their keys the same
  typed: boolean; // there are more classes than keys, so they are named by their first letters
  search: string; // how to search the classes; empty where they are few
}

export interface Task {
  kind: string; // one of KINDS
  classes: string[];
  objects: string[]; // the classes of a detector, whose answers are lists; none of other tasks
  order: number[]; // the classes' places as they stand on the screen
  keys: string[]; // one per class, "" for none
  colors: string[]; // one per class, "" for none
  accepts: [number, number] | null; // the classes' places that accept and reject
  swipes: [number, number] | null; // those that a swipe to the left and to the right answers
  actions: Record<string, string>; // the key of each action, as "skip", and of "play"
  no_class: string; // what it is called that none of the classes is present
  outside: string; // what an answer is called that is none of the classes; "" where there is none
  unit: string;
  criteria: CriterionShown[]; // asked of each output; none where one question is
  faults: number[]; // the places of the grades that are faults; none of tasks whose failures depend on a prediction
  reasons: number[]; // the classes' places that are answered with a reason
  range: [number, number] | null; // the least and the most an answer can be
  outcomes: [string, string]; // what is said about an answer that shows no failure, and of one that does
  usual: [number, number] | null; // beyond these a number is far from all predictions
}

// one of several criteria; its rubric says what the grades mean
export interface CriterionShown {
  name: string;
  grades: string[]; // in the order in which they stand
  faults: number[]; // places of those that are faults
  rubric: string;
}

// what Python sends of an input: one of picture, sound, text, cells and panes
export interface Shown {
  image?: string; // PNG, base64
  audio?: string; // WAV, base64
  spectrogram?: string | null; // PNG, base64
  title?: string | null; // of the spectrogram
  text?: string;
  code?: boolean; // the text is source code, as its owner says
  cells?: Cell[];
  series?: SeriesData;
  panes?: Pane[];
  boxes?: BoxShown[]; // over the image
}

// of a table row; code: its text is source code, as its owner says
export type Cell = [name: string, value: string, code?: boolean];

// left, top, width and height as shares of the picture
export interface BoxShown {
  name: string;
  left: number;
  top: number;
  width: number;
  height: number;
}

// one of the things that stand side by side
export interface Pane {
  title: string;
  shown: Shown;
  pieces: [string, boolean][] | null; // of a text that is compared with another: each, and whether the other lacks it
  note: string;
  further?: boolean; // a column that the owner chose to show beside the input
}

export interface Panes {
  node: HTMLElement;
  titles: string[];
  contents: Content[];
  sounds: Sound[];
}

export interface SeriesData {
  channels: (number | null)[][];
  at: number[] | null; // the place of each value, where there are fewer than length
  length: number;
}

// what is drawn of an input
export interface Content {
  plot?: Plot;
  text?: string;
  code?: boolean;
  cells?: Cell[];
  image?: HTMLImageElement;
  sound?: Sound;
  panes?: Panes;
  boxes?: BoxShown[];
  overlay?: HTMLElement; // the image with a detector's boxes over it
  url?: string;
  thumbnail?: HTMLCanvasElement | null;
  broken?: boolean;
  ready?: Promise<void>;
}

// an input as Python sends it; a past one has its answer
export interface Delivered {
  row: number;
  position: number;
  at_hand: boolean;
  shown: Shown | null;
  why?: string;
  prediction?: string | null;
}

export type HeldInput = Omit<Delivered, "shown"> & { shown: null, content: Content };

export interface PastAnswer {
  row: number;
  position: number;
  answer: Answer;
  label: string;
  failed: boolean | null;
  codes?: string[]; // why it failed
}

export type StripEntry = PastAnswer & { isNumber: boolean, far: boolean };

// one delivery of Python
export interface View {
  session: string;
  tester: string;
  task: Task;
  sounds: boolean;
  queue: Delivered[];
  history: (Delivered & PastAnswer)[];
  acknowledged: string[];
  refused: Record<string, string>;
  done: number; // answered, or cannot be told
  planned: number;
  waiting: boolean;
  waiting_words: string;
  finished: boolean;
  finished_words: string;
  names: string[]; // given before to what is none of the classes
  codes: string[] | null; // given before to failures; null where they have none here
  offline_error: string;
  ask_again: number;
  page?: string; // under which the server knows this page; none in a notebook, which has no connection to lose
}
