// Keeps a component on a page: it is made with the first delivery, and ended when it leaves the page.

export type Tell = (name: string, value: unknown) => void; // Python, what a component's user did

// What Streamlit calls a component with, again with each delivery.
export interface Given<Data> {
  parentElement: ShadowRoot;
  data: Data;
  setTriggerValue: Tell;
}

// What a component consists of before anything is delivered.
export interface Markup {
  html: string;
  css?: string;
}

interface Component {
  readonly closed: boolean;
  close(): void;
}

type Kept = { markup: Markup, box: HTMLElement, component?: Component, turn: number };

const KEPT = "testimate component"; // on the root itself: a script that the server has replaced meanwhile finds it there, too

function keptIn(root: ParentNode & Node, markup: Markup): Kept {
  const holder = root as unknown as Record<string, Kept | undefined>;
  const before = holder[KEPT];
  if (before?.markup === markup && before.box.parentNode === root) return before;
  before?.component?.close();
  before?.box.remove();
  const box = document.createElement("div");
  box.innerHTML = markup.html; // of this program alone
  const style = document.createElement("style");
  style.textContent = markup.css ?? "";
  box.append(style);
  root.append(box);
  return holder[KEPT] = { markup, box, turn: 0 };
}

/**
 * The element in ``root`` that holds the component's HTML and style, put there once.
 *
 * @param markup one object for all deliveries
 */
export function filled(root: ParentNode & Node, markup: Markup) {
  return keptIn(root, markup).box;
}

/**
 * Delivers to the component in ``root``, which ``make`` makes of its HTML the first time; returns what ends it.
 *
 * @param markup one object for all deliveries
 */
export function mount<Made extends Component>(
  root: ParentNode & Node,
  markup: Markup,
  make: (box: HTMLElement) => Made,
  deliver: (made: Made) => void,
): () => void {
  const kept = keptIn(root, markup);
  if (!kept.component || kept.component.closed) kept.component = make(kept.box);
  const made = kept.component as Made;
  deliver(made);
  kept.turn += 1;
  const { turn } = kept;
  // Streamlit also cleans up after a delivery that a newer one overtook: only the newest delivery may end the component
  return () => setTimeout(() => { if (turn === kept.turn) made.close(); }, 50);
}
