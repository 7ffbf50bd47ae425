// Elements of a page; text is only ever set as text.

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} [className]
 * @param {string} [text]
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

/**
 * The part of the surface's own HTML that a selector names; its absence is a mistake in the HTML.
 *
 * @param {ParentNode} root
 * @param {string} selector
 * @returns {HTMLElement}
 */
export function part(root, selector) {
  const found = root.querySelector(selector);
  if (!found) throw new Error(`${selector} is not in the component's HTML.`);
  return /** @type {HTMLElement} */ (found);
}

/**
 * As part, for a field that holds text.
 *
 * @param {ParentNode} root
 * @param {string} selector
 */
export function textField(root, selector) {
  return /** @type {HTMLInputElement} */ (part(root, selector));
}

/**
 * The button that was clicked, or null where the click fell beside all of them.
 *
 * @param {Event} event
 * @param {string} [selector]
 * @returns {HTMLButtonElement | null}
 */
export function clickedButton(event, selector = "button") {
  return /** @type {Element} */ (event.target).closest(selector);
}

/**
 * The element with the focus inside the shadow root that a node is in.
 *
 * @param {Node} node
 */
export function focused(node) {
  return /** @type {HTMLElement | null} */ (/** @type {ShadowRoot | Document} */ (node.getRootNode()).activeElement);
}
