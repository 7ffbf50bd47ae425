// The input under judgement: pictures crisp and zoomable, sounds to be played, text and table rows as plain text.

const SMALL = 96; // pixels: pictures up to this size are enlarged crisply
const DEEPEST = 16; // times the size that fits

// What the stage and the strip draw, made once; pictures are decoded ahead so that they appear at once.
function prepare(row, shown) {
  if (shown.audio !== undefined) return prepareSound(row, shown);
  if (shown.image === undefined) return { ...shown };
  const bytes = bytesOf(shown.image);
  const url = URL.createObjectURL(new Blob([bytes], { type: "image/png" }));
  const image = new Image();
  image.draggable = false;
  image.decoding = "sync";
  image.alt = `input ${row}`;
  image.src = url;
  const content = { image, url, thumbnail: null, broken: false };
  content.ready = image.decode().then(
    () => { content.thumbnail = thumbnailOf(image); },
    () => { content.broken = true; },
  );
  return content;
}

function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

function isSmall(image) {
  return Math.max(image.naturalWidth, image.naturalHeight) <= SMALL;
}

function thumbnailOf(image) {
  const canvas = document.createElement("canvas");
  const scale = 72 / Math.max(image.naturalWidth, image.naturalHeight, 1);
  canvas.width = Math.max(1, Math.round(image.naturalWidth * scale));
  canvas.height = Math.max(1, Math.round(image.naturalHeight * scale));
  const pen = canvas.getContext("2d");
  pen.imageSmoothingEnabled = !isSmall(image);
  pen.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}

function release(content) {
  content?.sound?.pause();
  if (content && content.url) URL.revokeObjectURL(content.url);
}

class Stage {
  constructor(frame, signal) {
    this.box = frame.querySelector(".stage");
    this.place = frame.querySelector(".input");
    this.calm = frame.querySelector(".calm");
    this.buttons = frame.querySelector(".zoom");
    this.image = null;
    this.sound = null;
    this.view = { scale: 1, x: 0, y: 0 };
    this.sizes = new ResizeObserver(() => this.fitImage());
    this.sizes.observe(this.box);
    signal.addEventListener("abort", () => { this.sizes.disconnect(); this.hush(); });
    const on = (name, work, options) => this.box.addEventListener(name, work, { signal, ...options });
    on("wheel", (event) => this.wheel(event), { passive: false });
    on("pointerdown", (event) => this.grab(event));
    on("pointermove", (event) => this.drag(event));
    on("pointerup", () => { this.grabbed = null; });
    on("pointercancel", () => { this.grabbed = null; });
    on("dblclick", () => this.fit());
    this.buttons.querySelector(".zoom-in").addEventListener("click", () => this.zoom(1.5), { signal });
    this.buttons.querySelector(".zoom-out").addEventListener("click", () => this.zoom(1 / 1.5), { signal });
    this.buttons.querySelector(".zoom-fit").addEventListener("click", () => this.fit(), { signal });
  }

  show(content, row) {
    this.calm.hidden = true;
    this.hush();
    this.image = null;
    this.buttons.hidden = true;
    this.box.classList.remove("zoomable");
    this.place.replaceChildren(this.nodeOf(content, row));
    this.place.scrollTop = 0;
    if (content.sound && !content.broken) {
      this.sound = content.sound;
      content.ready.then(() => { // what is damaged says so, once it is known
        if (content.broken && this.sound === content.sound) this.show(content, row);
      });
    }
    if (content.image && !content.broken) {
      this.image = content.image;
      this.fit();
      // a picture that is not decoded yet has no size to fit
      if (!content.image.naturalWidth) content.ready.then(() => this.image === content.image && this.show(content, row));
    }
  }

  // An input that left the stage is not heard any longer.
  hush() {
    if (this.sound) this.sound.stop();
    this.sound = null;
  }

  rest(words) {
    this.hush();
    this.image = null;
    this.buttons.hidden = true;
    this.place.replaceChildren();
    this.calm.textContent = words;
    this.calm.hidden = false;
  }

  nodeOf(content, row) {
    if (content.sound) return content.broken ? written("p", "unseen", DAMAGED_SOUND) : content.sound.node;
    if (content.broken) return written("p", "unseen", "This picture cannot be shown: its data are damaged.");
    if (content.image) return content.image;
    if (content.cells) return tableOf(content.cells, row);
    const text = isCode(content.text) ? codeOf(content.text) : written("pre", "", content.text);
    if (content.text.length <= 90 && !content.text.includes("\n")) text.classList.add("short");
    text.tabIndex = 0;
    text.setAttribute("aria-label", `text of input ${row}`);
    return text;
  }

  get zoomable() {
    return this.image !== null && this.image.naturalWidth > 0 && !isSmall(this.image);
  }

  fitImage() {
    const image = this.image;
    if (!image || !image.naturalWidth) return;
    const room = Math.min(this.box.clientWidth / image.naturalWidth, this.box.clientHeight / image.naturalHeight);
    const small = isSmall(image);
    // whole multiples keep the pixels of a small picture equal in size
    const scale = small ? Math.max(1, Math.floor(room * 0.96)) : room;
    image.classList.toggle("crisp", small);
    image.style.width = `${image.naturalWidth * scale}px`;
    image.style.height = `${image.naturalHeight * scale}px`;
    this.buttons.hidden = !this.zoomable;
    this.box.classList.toggle("zoomable", this.zoomable);
  }

  fit() {
    this.view = { scale: 1, x: 0, y: 0 };
    this.fitImage();
    this.settleImage();
  }

  // Zooms about a point of the stage, given from its middle.
  zoom(factor, x = 0, y = 0) {
    if (!this.zoomable) return;
    const scale = Math.min(DEEPEST, Math.max(1, this.view.scale * factor));
    const ratio = scale / this.view.scale;
    this.view = { scale, x: x - (x - this.view.x) * ratio, y: y - (y - this.view.y) * ratio };
    this.settleImage();
  }

  settleImage() {
    if (!this.image) return;
    const { scale } = this.view;
    const most = (size, room) => Math.max(0, (size * scale - room) / 2);
    const limit = (value, bound) => Math.min(bound, Math.max(-bound, value));
    this.view.x = limit(this.view.x, most(this.image.offsetWidth, this.box.clientWidth));
    this.view.y = limit(this.view.y, most(this.image.offsetHeight, this.box.clientHeight));
    this.image.style.transform = `translate(${this.view.x}px, ${this.view.y}px) scale(${scale})`;
  }

  wheel(event) {
    if (!this.zoomable) return;
    event.preventDefault();
    const box = this.box.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left - box.width / 2, event.clientY - box.top - box.height / 2];
    this.zoom(Math.exp(-event.deltaY / 300), x, y);
  }

  grab(event) {
    if (!this.zoomable || event.button !== 0 || event.composedPath().includes(this.buttons)) return;
    this.grabbed = { x: event.clientX - this.view.x, y: event.clientY - this.view.y };
    this.box.setPointerCapture(event.pointerId);
  }

  drag(event) {
    if (!this.grabbed) return;
    this.view = { ...this.view, x: event.clientX - this.grabbed.x, y: event.clientY - this.grabbed.y };
    this.settleImage();
  }
}

function written(tag, className, words) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.textContent = words;
  return node;
}

function tableOf(cells, row) {
  const table = document.createElement("table");
  table.tabIndex = 0; // a long one is scrolled by the arrow keys
  table.setAttribute("aria-label", `table row of input ${row}`);
  for (const [name, value] of cells) {
    const line = table.insertRow();
    const head = written("th", "", name);
    head.scope = "row";
    line.append(head, written("td", "", value));
  }
  return table;
}
