// The records that the modules hand to each other, as TypeScript reads them; view.py and browser_events.py hold the same.

/**
 * What a tester did: see Event in testimate/core/vote.py.
 *
 * @typedef {object} SurfaceEvent
 * @property {string} id
 * @property {string} kind "answer", "cannot tell", "skip", "undo" or "flag"
 * @property {number} row
 * @property {number} position
 * @property {string} at ISO 8601 in UTC
 * @property {number | null} [seconds]
 * @property {Answer} [answer]
 * @property {string} [note]
 * @property {string} [reason] why, with an answer
 *
 * @typedef {number | number[] | null} Answer a class's place, several of them, a number, or what is wrong with boxes
 *
 * @typedef {object} Task
 * @property {"classification" | "multi-label" | "regression" | "verdict" | "boxes"} kind
 * @property {string[]} classes
 * @property {string[]} objects the classes of a detector, whose answers are lists; none of other tasks
 * @property {number[]} order the classes' places as they stand on the screen
 * @property {string[]} keys one per class, "" for none
 * @property {string[]} colours one per class, "" for none
 * @property {[number, number] | null} accepts the classes' places that accept and reject
 * @property {[number, number] | null} swipes those that a swipe to the left and to the right answers
 * @property {Record<string, string>} actions the key of each action, as "skip", and of "play"
 * @property {string} no_class what it is called that none of the classes is present
 * @property {string} unit
 * @property {number[]} reasons the classes' places that are answered with a reason
 * @property {[number, number] | null} range the least and the most an answer can be
 * @property {[string, string]} outcomes what is said about an answer that shows no failure, and of one that does
 * @property {[number, number] | null} usual beyond these a number is far from all predictions
 *
 * @typedef {object} Shown what Python sends of an input: one of picture, sound, text, cells and panes
 * @property {string} [image] PNG, base64
 * @property {string} [audio] WAV, base64
 * @property {string | null} [spectrogram] PNG, base64
 * @property {string | null} [title] of the spectrogram
 * @property {string} [text]
 * @property {[string, string][]} [cells]
 * @property {SeriesData} [series]
 * @property {Pane[]} [panes]
 * @property {BoxShown[]} [boxes] over the image
 *
 * @typedef {object} BoxShown left, top, width and height as shares of the picture
 * @property {string} name
 * @property {number} left
 * @property {number} top
 * @property {number} width
 * @property {number} height
 *
 * @typedef {object} Pane one of the things that stand side by side
 * @property {string} title
 * @property {Shown} shown
 * @property {[string, boolean][] | null} pieces of a text that is compared with another: each, and whether the other lacks it
 * @property {string} note
 *
 * @typedef {object} Panes
 * @property {HTMLElement} node
 * @property {string[]} titles
 * @property {Content[]} contents
 * @property {import("./sound.js").Sound[]} sounds
 *
 * @typedef {object} SeriesData
 * @property {(number | null)[][]} channels
 * @property {number[] | null} at the place of each value, where there are fewer than length
 * @property {number} length
 *
 * @typedef {object} Content what is drawn of an input
 * @property {import("./series.js").Plot} [plot]
 * @property {string} [text]
 * @property {[string, string][]} [cells]
 * @property {HTMLImageElement} [image]
 * @property {import("./sound.js").Sound} [sound]
 * @property {Panes} [panes]
 * @property {BoxShown[]} [boxes]
 * @property {HTMLElement} [overlay] the image with a detector's boxes over it
 * @property {string} [url]
 * @property {HTMLCanvasElement | null} [thumbnail]
 * @property {boolean} [broken]
 * @property {Promise<void>} [ready]
 *
 * @typedef {object} Delivered an input as Python sends it; a past one has its answer
 * @property {number} row
 * @property {number} position
 * @property {boolean} at_hand
 * @property {Shown | null} shown
 * @property {string} [why]
 * @property {string | null} [prediction]
 *
 * @typedef {Omit<Delivered, "shown"> & { shown: null, content: Content }} HeldInput
 *
 * @typedef {object} PastAnswer
 * @property {number} row
 * @property {number} position
 * @property {Answer} answer
 * @property {string} label
 * @property {boolean | null} failed
 *
 * @typedef {PastAnswer & { isNumber: boolean, far: boolean }} StripEntry
 *
 * @typedef {object} View one delivery of Python
 * @property {string} session
 * @property {string} tester
 * @property {Task} task
 * @property {boolean} sounds
 * @property {Delivered[]} queue
 * @property {(Delivered & PastAnswer)[]} history
 * @property {string[]} acknowledged
 * @property {Record<string, string>} refused
 * @property {number} done answered, or cannot be told
 * @property {number} planned
 * @property {boolean} waiting
 * @property {string} waiting_words
 * @property {boolean} finished
 * @property {string} finished_words
 * @property {string} offline_error
 * @property {number} ask_again
 * @property {string} [page] under which the server knows this page; none in a notebook, which has no connection to lose
 */

export {};
