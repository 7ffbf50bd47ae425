// A sound under judgment: played only when asked to, with its waveform and its spectrogram (decision 245).

import { element, numbered } from "../elements.ts";

import type { Content, Shown } from "./types.ts";

// a spectrogram: its words, and a data URL
type Drawn = { title: string, url: string };

export const DAMAGED_SOUND = "This sound can't be played. Its data are damaged.";
const BARS = 280; // of the waveform
const DECODED_RATE = 8000; // samples a second are enough to draw
const LONGEST_DRAWN = 30e6; // bytes: a longer sound is played, not drawn

// The sound of one input: a player with its waveform and its spectrogram above it, one time axis for both.
export class Sound {
  player: HTMLAudioElement;
  wave: HTMLCanvasElement;
  head: HTMLDivElement;
  seen: HTMLDivElement;
  node: HTMLDivElement;
  button: HTMLButtonElement;
  key: string;
  peaks: number[] | null;

  constructor(row: number, url: string, drawn: Drawn) {
    this.player = document.createElement("audio");
    this.player.controls = true;
    this.player.autoplay = false;
    this.player.preload = "metadata";
    this.player.src = url;
    this.player.setAttribute("aria-label", `sound of input ${numbered(row)}`);
    this.wave = document.createElement("canvas");
    this.wave.className = "wave";
    this.wave.setAttribute("aria-hidden", "true");
    this.head = document.createElement("div");
    this.head.className = "playhead";
    this.seen = document.createElement("div");
    this.seen.className = "heard";
    this.seen.append(this.wave, ...(drawn.url ? [pictureOf(drawn)] : []), this.head);
    this.node = document.createElement("div");
    this.node.className = "sound";
    this.button = element("button", "play", "");
    this.button.addEventListener("click", () => this.toggle());
    const bar = element("div", "player", "");
    bar.append(this.button, this.player);
    this.node.append(this.seen, ...(drawn.url ? [element("p", "axis", drawn.title)] : []), bar);
    this.key = "";
    for (const name of ["play", "pause", "ended"]) this.player.addEventListener(name, () => this.nameKey(this.key));
    this.nameKey("");
    this.peaks = null;
    for (const name of ["play", "timeupdate", "seeked", "ended"]) this.player.addEventListener(name, () => this.draw());
    this.seen.addEventListener("click", (event) => {
      const box = this.seen.getBoundingClientRect();
      this.seek((event.clientX - box.left) / box.width);
    });
    // a click must not leave the focus on the player, or the next space would press it again
    this.player.addEventListener("pointerup", () => setTimeout(() => this.player.blur()));
    new ResizeObserver(() => this.draw()).observe(this.wave);
  }

  toggle() {
    if (this.player.paused) this.player.play().catch(() => {}); // left before it began
    else this.player.pause();
  }

  // The button says what a press would do, with the key that does the same.
  nameKey(key: string) {
    this.key = key;
    const words = this.player.paused ? "▶ play" : "❚❚ pause";
    this.button.replaceChildren(...(key ? [element("kbd", "", key)] : []), ` ${words}`);
    this.button.setAttribute("aria-label", this.player.paused ? "Play the sound" : "Pause the sound");
  }

  pause() {
    this.player.pause();
  }

  // Silent, and at its beginning again.
  stop() {
    this.pause();
    if (this.player.currentTime) this.player.currentTime = 0;
  }

  seek(share: number) {
    if (Number.isFinite(this.player.duration)) this.player.currentTime = share * this.player.duration;
  }

  // What is played already in the color of what is chosen.
  draw() {
    const { wave, player } = this;
    const played = player.duration ? player.currentTime / player.duration : 0;
    this.head.style.left = `${100 * played}%`;
    this.head.hidden = !played;
    if (!this.peaks || !wave.clientWidth) return;
    const style = getComputedStyle(wave);
    wave.width = wave.clientWidth * devicePixelRatio;
    wave.height = wave.clientHeight * devicePixelRatio;
    drawPeaks(wave, this.peaks, style.color, style.getPropertyValue("--played") || style.color, played);
  }
}

// The spectrogram, drawn by the server: its opacity is the loudness.
function pictureOf(drawn: Drawn) {
  const picture = new Image();
  picture.className = "spectrogram";
  picture.draggable = false;
  picture.alt = drawn.title;
  picture.src = drawn.url;
  return picture;
}

export function prepareSound(row: number, shown: Shown, bytes: Uint8Array<ArrayBuffer>): Content {
  const url = URL.createObjectURL(new Blob([bytes], { type: "audio/wav" }));
  const drawn = { title: shown.title ?? "", url: shown.spectrogram ? `data:image/png;base64,${shown.spectrogram}` : "" };
  const sound = new Sound(row, url, drawn);
  const content: Content = { sound, url, thumbnail: null, broken: false };
  const found = bytes.length > LONGEST_DRAWN ? Promise.resolve([] as number[]) : peaksOf(bytes);
  content.ready = found.then(
    (peaks) => {
      sound.peaks = peaks;
      sound.draw();
      const thumbnail = document.createElement("canvas");
      thumbnail.width = thumbnail.height = 72;
      content.thumbnail = thumbnail;
      drawPeaks(thumbnail, thinned(peaks, 24), "#8a8a8a", "#8a8a8a", 0);
    },
    () => { content.broken = true; },
  );
  return content;
}

// The largest deflection in each of BARS stretches, all channels together, the loudest being 1.
async function peaksOf(bytes: Uint8Array<ArrayBuffer>) {
  const decoder = new OfflineAudioContext(1, 1, DECODED_RATE);
  const decoded = await decoder.decodeAudioData(bytes.buffer.slice(0));
  const bars = Math.min(BARS, decoded.length);
  const peaks = new Array(bars).fill(0);
  for (let channel = 0; channel < decoded.numberOfChannels; channel++) {
    decoded.getChannelData(channel).forEach((value, place) => {
      const bar = Math.floor((place * bars) / decoded.length);
      peaks[bar] = Math.max(peaks[bar], Math.abs(value));
    });
  }
  const loudest = Math.max(...peaks, 1e-6);
  return peaks.map((peak) => peak / loudest);
}

function thinned(peaks: number[], count: number) {
  const bars = Math.min(count, peaks.length);
  const thin = new Array(bars).fill(0);
  peaks.forEach((peak, place) => {
    const bar = Math.floor((place * bars) / peaks.length);
    thin[bar] = Math.max(thin[bar], peak);
  });
  return thin;
}

function drawPeaks(canvas: HTMLCanvasElement, peaks: number[], color: string, playedColor: string, played: number) {
  const pen = canvas.getContext("2d");
  if (!pen) return;
  const step = canvas.width / peaks.length;
  peaks.forEach((peak, place) => {
    const height = Math.max(1, peak * canvas.height);
    pen.fillStyle = place < played * peaks.length ? playedColor : color;
    pen.fillRect(place * step, (canvas.height - height) / 2, Math.max(1, step * 0.7), height);
  });
}
