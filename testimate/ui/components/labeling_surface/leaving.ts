// Whether the tester is on the way to another page. Streamlit runs the page from which a message comes: one that is sent
// then would bring back the page that is being left, or clear the next one. What is held up is handed over from there.

const BY_LINK = 60_000; // milliseconds after a click on a link to another page, or one step back; a slow server needs a while
const BY_BUTTON = 2500; // milliseconds after a click on anything else, which may lead to another page, too

// Whether a click opens a tab or a window of its own, or only a menu.
const opensElsewhere = (event: MouseEvent) => event.ctrlKey || event.metaKey || event.shiftKey || event.button > 0;

export class Leaving {
  frame: HTMLElement;
  until: number;
  path: string;

  /** @param frame whose own buttons lead nowhere */
  constructor(frame: HTMLElement, signal: AbortSignal) {
    this.frame = frame;
    this.until = -Infinity;
    this.path = location.pathname;
    document.addEventListener("click", (event) => this.clicked(event), { signal, capture: true });
    window.addEventListener("popstate", () => this.stepped(), { signal });
  }

  clicked(event: Event) {
    if (event.composedPath().includes(this.frame) || opensElsewhere(event as MouseEvent)) return;
    const target = event.target as Element | null;
    const link = target?.closest("a[href]") as HTMLAnchorElement | null | undefined;
    if (link) this.for(link.pathname === location.pathname ? BY_BUTTON : BY_LINK);
    else if (target?.closest("button, label, [role=button]")) this.for(BY_BUTTON);
  }

  stepped() {
    if (location.pathname !== this.path) this.for(BY_LINK);
  }

  for(milliseconds: number) {
    this.until = Math.max(this.until, performance.now() + milliseconds);
  }

  // Milliseconds to wait before anything is sent; 0 while nobody is leaving.
  get wait(): number {
    return Math.max(0, this.until - performance.now());
  }
}
