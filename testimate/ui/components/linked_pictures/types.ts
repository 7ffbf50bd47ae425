// The records that the modules hand to each other, as TypeScript reads them; look.py holds the first.

// an input in small: one of picture, sound, text and cells
export interface Look {
  image?: string; // PNG, base64
  crisp?: boolean; // whether its pixels are to be seen
  audio?: string; // WAV, base64
  spectrogram?: string; // of the sound: PNG, base64
  title?: string; // of the spectrogram
  text?: string;
  cells?: [string, string][];
  more?: number; // cells that are left out
}

// of a Plotly chart
export interface Point {
  customdata?: unknown; // its row, or a list that begins with it
}

// of a box, or the corners of a lasso
export type Ends = { x: number[], y: number[] };

// of an input on the map
export interface Picture {
  row: number;
  x: number; // in the map's units
  y: number;
  image: string; // PNG, base64
  crisp: boolean; // whether its pixels are to be seen
}

interface Axis {
  l2p: (value: number) => number;
  _offset: number;
  _length: number;
  range: [number, number];
  autorange: boolean; // whether all of the chart is in view
  _rangeInitial0?: number; // the ends it began with, where they were given
  _rangeInitial1?: number;
}

interface Trace {
  visible: boolean | string;
  customdata?: ArrayLike<unknown>;
  x: number[];
  y: number[];
  marker?: { color?: unknown, symbol?: unknown };
}

// what Plotly adds to the element it draws in
interface ChartParts {
  on?(name: string, work: (event: never) => void): void;
  removeListener?(name: string, work: (event: never) => void): void;
  _fullLayout?: { xaxis: Axis, yaxis: Axis, annotations?: ArrayLike<{ x: unknown, y: unknown, xref?: string }> };
  _fullData?: Trace[];
  testimatePointer?: unknown;
  testimatePicks?: unknown;
  testimatePictures?: unknown;
}

export type Chart = HTMLElement & ChartParts;
