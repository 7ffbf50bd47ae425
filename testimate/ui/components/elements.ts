// Elements of a page; text is only ever set as text.

type Tags = HTMLElementTagNameMap;

export function element<Tag extends keyof Tags>(tag: Tag, className?: string, text?: string): Tags[Tag] {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

// The number of an input, as people read it: 1,178.
export const numbered = (row: number) => row.toLocaleString("en");

// The part of the surface's own HTML that a selector names; its absence is a mistake in the HTML.
export function part(root: ParentNode, selector: string): HTMLElement {
  const found = root.querySelector(selector);
  if (!found) throw new Error(`${selector} is not in the component's HTML.`);
  return found as HTMLElement;
}

// As part, for a field that holds text.
export function textField(root: ParentNode, selector: string) {
  return part(root, selector) as HTMLInputElement;
}

// The button that was clicked, or null where the click fell beside all of them.
export function clickedButton(event: Event, selector = "button"): HTMLButtonElement | null {
  return (event.target as Element).closest(selector);
}

// The element with the focus inside the shadow root that a node is in.
export function focused(node: Node) {
  return (node.getRootNode() as ShadowRoot | Document).activeElement as HTMLElement | null;
}
