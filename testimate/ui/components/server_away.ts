// Says that the server does not answer, in the words of this app and over nothing that is of use meanwhile, and loads a page
// again that came empty.
//
// Streamlit's own dialog covers the page, takes the keys that belong to the input on the screen, and is about Streamlit and
// the internet. It is closed as it opens; closed once, it stays away until the server was back.
//
// What is clicked on a page that is being left reaches a slow server behind the link to the next one. Streamlit runs it under
// the page that was left, where it finds nothing to run, and the browser clears the page that it shows.

const KNOWN = "testimate server away";
const STATE = "data-test-connection-state";
const SCRIPT = "data-test-script-state";
const SHOWN = "[data-testid=stMain] [data-testid=stVerticalBlock] > *"; // each page has parts that nobody sees, too
const EMPTY_FOR = 1000; // milliseconds that a page may be empty after its script has ended
const LOADED = "testimate loaded again"; // in this tab's storage: when, in milliseconds
const ONCE_IN = 60_000; // milliseconds: a page that comes empty again is not loaded without end
const PATIENCE = 1500; // milliseconds: a socket that is opened again at once is nobody's concern
const STYLE = "position: fixed; inset: 0 0 auto 0; min-height: 3.75rem; padding: 0.5rem 1rem; z-index: 1000001; display: flex; "
  + "align-items: center; justify-content: center; text-align: center; background: #7A3300; color: #FFFFFF; "
  + "font: 600 0.95rem/1.35 'Source Sans', sans-serif;";

export function wordsFor(host: string) {
  const local = ["localhost", "127.0.0.1", "[::1]"].includes(host);
  const what = local ? "Start Testimate again" : "Check your network";
  return `Can't reach the server. Your answers are safe in this browser. ${what}, and this page continues by itself.`;
}

// Streamlit's dialog about the connection, or nothing; dialogs of the app's own have other titles.
export function closeButtonOfDialog(page: ParentNode) {
  const dialogs = [...page.querySelectorAll("[data-testid=stDialog]")];
  const about = dialogs.find((one) => (one.textContent ?? "").trim().startsWith("Connection error"));
  return about?.querySelector("button[aria-label=Close]") ?? null;
}

// Whether the server has drawn a page and nothing of it is there.
export function cameEmpty(page: ParentNode) {
  const app = page.querySelector(`[${STATE}]`);
  return app?.getAttribute(STATE) === "CONNECTED" && app.getAttribute(SCRIPT) === "notRunning" && !page.querySelector(SHOWN);
}

// Whether to load a page that came empty, and notes it.
export function mayLoadAgain(stored: () => Pick<Storage, "getItem" | "setItem">, now: number) {
  let storage;
  try {
    storage = stored();
  } catch {
    return false; // a browser without storage holds its answers in the page, which would lose them
  }
  const before = Number(storage.getItem(LOADED) ?? -Infinity);
  if (now - before < ONCE_IN) return false;
  storage.setItem(LOADED, String(now));
  return true;
}

class Watch {
  bar: HTMLDivElement;
  timer: ReturnType<typeof setTimeout> | undefined;
  empty: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.bar = document.createElement("div");
    this.bar.setAttribute("role", "alert");
    this.bar.style.cssText = STYLE;
    this.timer = undefined;
    this.empty = undefined;
  }

  start() {
    new MutationObserver(() => this.look()).observe(document.body, { attributeFilter: [STATE, SCRIPT], subtree: true });
    new MutationObserver(() => this.closeDialog()).observe(document.body, { childList: true });
  }

  get away() {
    return document.querySelector(`[${STATE}]`)?.getAttribute(STATE) !== "CONNECTED";
  }

  look() {
    clearTimeout(this.empty);
    if (cameEmpty(document)) this.empty = setTimeout(() => this.loadAgain(), EMPTY_FOR);
    if (!this.away) {
      clearTimeout(this.timer);
      this.timer = undefined;
      this.bar.remove();
      this.bar.textContent = "";
    } else {
      this.timer ??= setTimeout(() => this.say(), PATIENCE);
      this.closeDialog();
    }
  }

  loadAgain() {
    if (cameEmpty(document) && mayLoadAgain(() => sessionStorage, Date.now())) location.reload();
  }

  say() {
    document.body.append(this.bar);
    this.bar.textContent = wordsFor(location.hostname); // once it is there, or nobody hears it
  }

  closeDialog() {
    const button = this.away && closeButtonOfDialog(document);
    if (button instanceof HTMLElement) button.click();
  }
}

export default function () {
  const page = window as unknown as Record<string, unknown>;
  if (page[KNOWN]) return;
  page[KNOWN] = new Watch();
  (page[KNOWN] as Watch).start();
}
