// Search runs in a worker, and a browser starts none for a page that was opened from disk. There a hidden frame stands for it:
// the same script, the same messages.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.title = "search";
      document.body.append(frame);
      const inside = frame.contentWindow;
      inside.document.open();
      inside.document.write("<script></script>");
      inside.document.close();
      inside.postMessage = (data) => {
        const event = new MessageEvent("message", { data });
        this.onmessage?.(event);
        this.dispatchEvent(event);
      };
      inside.importScripts = (...scripts) =>
        scripts.reduce((before, src) => before.then(() => load(inside, src)), Promise.resolve());
      this.frame = frame;
      this.ready = load(inside, address);
    }
    postMessage(data) {
      this.ready.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })));
    }
    terminate() {
      this.frame.remove();
    }
  };

  const load = (inside, src) =>
    new Promise((resolve, reject) => {
      const script = inside.document.createElement("script");
      Object.assign(script, { src, onload: resolve, onerror: reject });
      inside.document.body.append(script);
    });
}
