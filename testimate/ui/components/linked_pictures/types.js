// The records that the modules hand to each other, as TypeScript reads them; look.py holds the first.

/**
 * @typedef {object} Look an input in small: one of picture, sound, text and cells
 * @property {string} [image] PNG, base64
 * @property {boolean} [crisp] whether its pixels are to be seen
 * @property {string} [audio] WAV, base64
 * @property {string} [spectrogram] of the sound: PNG, base64
 * @property {string} [title] of the spectrogram
 * @property {string} [text]
 * @property {[string, string][]} [cells]
 * @property {number} [more] cells that are left out
 *
 * @typedef {object} Point of a Plotly chart
 * @property {unknown} [customdata] its row, or a list that begins with it
 *
 * @typedef {{ x: number[], y: number[] }} Ends of a box, or the corners of a lasso
 *
 * @typedef {object} Picture of an input on the map
 * @property {number} row
 * @property {number} x in the map's units
 * @property {number} y
 * @property {string} image PNG, base64
 * @property {boolean} crisp whether its pixels are to be seen
 *
 * @typedef {object} Axis
 * @property {(value: number) => number} l2p
 * @property {number} _offset
 * @property {number} _length
 * @property {[number, number]} range
 * @property {boolean} autorange whether all of the chart is in view
 * @property {number} [_rangeInitial0] the ends it began with, where they were given
 * @property {number} [_rangeInitial1]
 *
 * @typedef {object} Trace
 * @property {boolean | string} visible
 * @property {ArrayLike<unknown>} [customdata]
 * @property {number[]} x
 * @property {number[]} y
 * @property {{ color?: unknown, symbol?: unknown }} [marker]
 *
 * @typedef {object} ChartParts what Plotly adds to the element it draws in
 * @property {(name: string, work: (event: any) => void) => void} [on]
 * @property {(name: string, work: (event: any) => void) => void} [removeListener]
 * @property {{ xaxis: Axis, yaxis: Axis, annotations?: ArrayLike<{ x: unknown, y: unknown, xref?: string }> }} [_fullLayout]
 * @property {Trace[]} [_fullData]
 * @property {unknown} [testimatePointer]
 * @property {unknown} [testimatePicks]
 * @property {unknown} [testimatePictures]
 *
 * @typedef {HTMLElement & ChartParts} Chart
 */

export {};
