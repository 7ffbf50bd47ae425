// Whether the tester is on the way to another page. Streamlit runs the page from which a message comes: one that is sent
// then would bring back the page that is being left, or clear the next one. What is held up is handed over from there.

const BY_LINK = 10_000; // milliseconds after a click on a link to another page, or one step back; the next is there sooner
const BY_BUTTON = 2500; // milliseconds after a click on anything else, which may lead to another page, too

export class Leaving {
  /**
   * @param {HTMLElement} frame whose own buttons lead nowhere
   * @param {AbortSignal} signal
   */
  constructor(frame, signal) {
    this.frame = frame;
    this.until = -Infinity;
    this.path = location.pathname;
    document.addEventListener("click", (event) => this.clicked(event), { signal, capture: true });
    window.addEventListener("popstate", () => this.stepped(), { signal });
  }

  /** @param {Event} event */
  clicked(event) {
    if (event.composedPath().includes(this.frame)) return;
    const target = /** @type {Element | null} */ (event.target);
    const link = /** @type {HTMLAnchorElement | null | undefined} */ (target?.closest("a[href]"));
    if (link) this.for(link.pathname === location.pathname ? BY_BUTTON : BY_LINK);
    else if (target?.closest("button, label, [role=button]")) this.for(BY_BUTTON);
  }

  stepped() {
    if (location.pathname !== this.path) this.for(BY_LINK);
  }

  /** @param {number} milliseconds */
  for(milliseconds) {
    this.until = Math.max(this.until, performance.now() + milliseconds);
  }

  /**
   * Milliseconds to wait before anything is sent; 0 while nobody is leaving.
   *
   * @returns {number}
   */
  get wait() {
    return Math.max(0, this.until - performance.now());
  }
}
