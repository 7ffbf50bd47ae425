"""What the labeling surface draws by itself, beside the libraries that draw the same: size, and the time of one input.

`python -m benchmarks surface_libraries` needs Chromium and npm, which installs the libraries into a temporary folder; about a
minute. Both sides get the same data, in turn in one page.
"""

import base64
import gzip
import io
import json
import subprocess
import tempfile
import time
import wave
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.labeling_page.served import browser
from testimate.ui.components.spectrogram import spectrogram

LIBRARIES = ("wavesurfer.js@8.0.1", "uplot@1.6.32", "@use-gesture/vanilla@10.3.1", "preact@11.2.0", "esbuild@0.28.2")
SURFACE = Path(__file__).parents[1] / "testimate" / "ui" / "components" / "labeling_surface"
RATE = 16_000
ORIGIN = "http://127.0.0.1:9/"
SOUNDS = (2, 10)
SERIES = (1_000, 6)
ALONE = {
    "ours, sound": f'export * from "{SURFACE}/sound.ts"',
    "wavesurfer.js with its spectrogram": (
        'import W from "wavesurfer.js"; import S from "wavesurfer.js/dist/plugins/spectrogram.esm.js"; export { W, S };'
    ),
    "ours, series": f'export * from "{SURFACE}/series.ts"',
    "uPlot": 'import U from "uplot"; export { U };',
    "@use-gesture/vanilla": (
        'import { createGesture, dragAction, pinchAction, wheelAction } from "@use-gesture/vanilla";'
        "export default createGesture([dragAction, pinchAction, wheelAction]);"
    ),
    "ours, strip": f'export * from "{SURFACE}/strip.ts"',
    "Preact": 'export { h, render } from "preact";',
}
PAGE = (
    f"""
import {{ newId, Outbox }} from "{SURFACE}/outbox.ts";
import {{ prepareSeries }} from "{SURFACE}/series.ts";
import {{ prepareSound }} from "{SURFACE}/sound.ts";
import {{ Strip }} from "{SURFACE}/strip.ts";
import css from "{SURFACE}/surface.css";
import Spectrogram from "wavesurfer.js/dist/plugins/spectrogram.esm.js";
import WaveSurfer from "wavesurfer.js";
import uPlot from "uplot";
import {{ h, render }} from "preact";
"""
    + """
document.head.append(Object.assign(document.createElement("style"), { textContent: css }));
document.body.innerHTML = `<div class='surface'><ol class='strip'></ol><ol class='strip preact'></ol>
  <div class='input' style='width:676px;height:400px'></div></div>`;
const stage = document.querySelector(".input");
const middle = (times) => [...times].sort((a, b) => a - b)[times.length >> 1];
const both = async (times, ...works) => { // in turn, so that what else the machine does meets both alike
  const took = works.map(() => []);
  for (let turn = 0; turn < times; turn++) {
    for (const [place, work] of works.entries()) {
      stage.replaceChildren();
      void stage.offsetHeight;
      const begun = performance.now();
      const over = await work(turn);
      void stage.offsetHeight;
      took[place].push(performance.now() - begun);
      over?.();
    }
  }
  return took.map(middle);
};
const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
const soon = () => new Promise((done) => queueMicrotask(done));

window.sounds = (sound, picture) => both(15, async () => {
  const content = prepareSound(0, { spectrogram: picture, title: "" }, bytesOf(sound));
  stage.replaceChildren(content.sound.node);
  await Promise.all([content.ready, content.sound.node.querySelector("img").decode()]);
  content.sound.draw();
  return () => URL.revokeObjectURL(content.url);
}, async () => {
  const drawn = Spectrogram.create({ height: 140 });
  const seen = new Promise((done) => drawn.on("ready", done));
  const player = WaveSurfer.create({ container: stage, height: 80, sampleRate: 8000, plugins: [drawn] });
  await player.loadBlob(new Blob([bytesOf(sound)], { type: "audio/wav" }));
  await seen;
  return () => player.destroy();
});

const colors = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b07a00", "#56b4e9"];
window.lines = async (series) => {
  const { channels, length } = series;
  const ours = () => prepareSeries(0, series).plot;
  const theirs = () => {
    const data = [Array.from({ length }, (_, place) => place), ...channels];
    const lines = channels.map((_, place) => ({ label: String(place), stroke: colors[place % 6], width: 1.4 }));
    return new uPlot({ width: 650, height: 330, scales: { x: { time: false } }, series: [{}, ...lines] }, data, stage);
  };
  const first = await both(40, () => {
    const plot = ours();
    stage.replaceChildren(plot.node);
    plot.fit();
  }, async () => {
    const plot = theirs();
    await soon();
    return () => plot.destroy();
  });
  stage.replaceChildren();
  const [plot, other] = [ours(), theirs()];
  const keep = [...stage.children, plot.node];
  const shownAll = () => stage.replaceChildren(...keep);
  const zooms = await both(40, (turn) => {
    shownAll();
    plot.zoom(turn % 2 ? 1 / 1.5 : 1.5);
  }, async (turn) => {
    shownAll();
    other.setScale("x", turn % 2 ? { min: 0, max: length - 1 } : { min: length / 6, max: length - length / 6 });
    await soon();
  });
  return [first, zooms];
};

// the last twelve answers, one more with each turn
const entryOf = (row) => ({ row, label: `class ${row % 10}`, failed: row % 3 === 0, far: false });
const all = Array.from({ length: 300 }, (_, row) => entryOf(row));
const shown = (row) => ({ text: `input ${row}` });
const Item = ({ entry }) => {
  const state = entry.failed ? "failed" : "right";
  const title = `input ${entry.row}: ${entry.label}; ${state}`;
  const foot = h("span", { class: "foot" }, h("span", { class: "label" }, entry.label),
    h("span", { class: "mark" }, state === "failed" ? "✗" : "✓"));
  const said = { type: "button", "data-row": entry.row, class: state, title, "aria-label": `${title}; change it` };
  return h("li", null, h("button", said, foot));
};
window.strips = () => {
  const strip = new Strip(document.querySelector(".surface"), new AbortController().signal, () => {});
  const list = document.querySelector(".strip.preact");
  const last = (at) => all.slice(at, at + 12);
  return both(all.length - 12, (at) => strip.draw(last(at), shown, null, ["right", "failed"]),
    (at) => render(last(at).reverse().map((entry) => h(Item, { entry, key: entry.row })), list));
};
window.waiting = () => {
  localStorage.clear();
  const outbox = new Outbox("session", "tester");
  const add = (row) => outbox.add({ id: newId(), kind: "answer", row, position: row, at: new Date().toISOString(), answer: 3 });
  for (let row = 0; row < 2000; row++) add(row);
  const took = Array.from({ length: 100 }, (_, row) => {
    const begun = performance.now();
    for (let turn = 0; turn < 10; turn++) add(2000 + 10 * row + turn);
    return (performance.now() - begun) / 10;
  });
  localStorage.clear();
  return [middle(took), Math.max(...took)];
};
window.ready = true;
"""
)


def main() -> None:
    """Prints the tables."""
    print("## The surface's own drawing beside libraries\n")
    print(
        "Bytes as bundled and minified, and packed by gzip. Milliseconds are medians in Chromium without a graphics card.\n"
    )
    with tempfile.TemporaryDirectory() as folder, browser() as chromium:
        subprocess.run(["npm", "install", "--silent", "--prefix", folder, *LIBRARIES], check=True)
        print("| what | bytes | packed |\n|---|---:|---:|")
        for words, script in ALONE.items():
            made = bundled(script, Path(folder))
            print(f"| {words} | {len(made):,} | {len(gzip.compress(made, 9)):,} |", flush=True)
        own = b"".join(minified(SURFACE / name, Path(folder)) for name in ("stage.ts", "swipe.ts"))
        print(
            f"| ours, the stage with zoom, drag and pinch, and the swipe | {len(own):,} | {len(gzip.compress(own, 9)):,} |"
        )
        page = chromium.new_page(viewport={"width": 1280, "height": 800})
        page.route(ORIGIN, lambda route: route.fulfill(content_type="text/html", body="<!doctype html><body></body>"))
        page.goto(ORIGIN)  # an address of its own, or nothing is kept for it
        page.add_script_tag(content=bundled(PAGE, Path(folder)).decode(), type="module")
        page.wait_for_function("() => window.ready", timeout=60_000)
        print("\n| what | ours, ms | library, ms |\n|---|---:|---:|")
        for seconds in SOUNDS:
            sound_row(page, seconds)
        rng = np.random.default_rng(0)
        length, count = SERIES
        channels = rng.normal(size=(count, length)).cumsum(axis=1).round(4).tolist()
        series = json.dumps({"channels": channels, "at": None, "length": length})
        for words, took in zip(("drawn", "zoomed by one step"), page.evaluate(f"() => lines({series})"), strict=True):
            print(f"| a series of {length:,} places and {count} channels, {words} | {took[0]:.1f} | {took[1]:.1f} |")
        strip = page.evaluate("() => strips()")
        print(f"| the strip of twelve answers after one more | {strip[0]:.2f} | {strip[1]:.2f} |", flush=True)
        added, most = page.evaluate("() => waiting()")
        print(
            "\n| with 2,000 answers waiting in the browser | median ms (target 1) | longest mean of ten |\n|---|---:|---:|"
        )
        print(f"| one more is kept | {added:.3f} | {most:.3f} |", flush=True)


def bundled(script: str, modules: Path) -> bytes:
    """The script with all that it imports, as it would be served."""
    file = modules / "script.ts"
    file.write_text(script, encoding="utf-8")
    return minified(file, modules, "--bundle", "--format=esm", "--loader:.css=text", "--loader:.html=text")


def minified(file: Path, modules: Path, *options: str) -> bytes:
    """The file as it would be served, without what it imports unless the options say so."""
    command = [str(modules / "node_modules" / ".bin" / "esbuild"), str(file), "--minify", "--target=es2022", *options]
    return subprocess.run(command, check=True, capture_output=True).stdout


def sound_row(page: Any, seconds: int) -> None:
    """Prints how long a sound takes until its waveform and its spectrogram are there; ours is drawn by the server."""
    rng = np.random.default_rng(seconds)
    tone = np.sin(2 * np.pi * 300 * np.arange(seconds * RATE) / RATE) * 12_000 + rng.normal(
        scale=900, size=seconds * RATE
    )
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setparams((1, 2, RATE, 0, "NONE", ""))
        out.writeframes(tone.astype("<i2").tobytes())
    spectrogram(file.getvalue())  # what is imported the first time is not counted
    begun = time.process_time()
    drawn = spectrogram(file.getvalue())
    assert drawn is not None
    sound, picture = (base64.b64encode(content).decode() for content in (file.getvalue(), drawn.png()))
    server = 1000 * (time.process_time() - begun)
    took = page.evaluate("([sound, picture]) => sounds(sound, picture)", [sound, picture])
    words = f"a sound of {seconds} s, from its bytes to both pictures; ours after {server:.0f} ms of the server"
    print(f"| {words} | {took[0]:.1f} | {took[1]:.1f} |", flush=True)


if __name__ == "__main__":
    main()
