// The words around the input: how far, why this one, what is stored, and what went wrong.

class Words {
  constructor(frame) {
    this.part = (name) => frame.querySelector(`.${name}`);
    this.noticeUntil = 0;
    this.refusal = { words: "", until: 0 };
    this.spoken = true; // whether the last count of stored labels has been read out
  }

  // labeled: with the events on the way; changing: whether an answer given before is being changed.
  draw(view, labeled, input, changing) {
    this.part("count").textContent = `${labeled} of ${view.planned}`;
    const bar = this.part("bar");
    bar.setAttribute("aria-valuenow", labeled);
    bar.setAttribute("aria-valuemax", view.planned);
    this.part("bar-done").style.transform = `scaleX(${view.planned ? Math.min(1, labeled / view.planned) : 0})`;
    this.part("why").textContent = input?.why ? `why: ${input.why}` : "";
    const predicted = input !== null && typeof input.prediction === "string" && !changing;
    this.part("prediction").hidden = !predicted;
    this.part("prediction").textContent = predicted ? `model says ${input.prediction}` : "";
    this.part("changing").hidden = !changing;
    this.part("changing").textContent = changing ? `changing the answer to input ${input.row} (Esc leaves it)` : "";
  }

  // waiting: how many events are on the way; errors: what is to be said aloud.
  stored(view, waiting, errors) {
    const refused = performance.now() < this.refusal.until ? this.refusal.words : "";
    const aloud = [...errors, refused].filter(Boolean).join(" ");
    const banner = this.part("banner");
    if (banner.textContent !== aloud) banner.textContent = aloud;
    banner.hidden = aloud === "";
    const words = waiting ? `${waiting} on the way` : view.labeled ? "✓ stored" : "";
    const node = this.part("stored");
    if (performance.now() >= this.noticeUntil && node.textContent !== words) node.textContent = words;
    if (waiting) this.spoken = false;
  }

  // Reads out, to those who listen, how many labels are stored; not for each one of a quick run.
  speak(view) {
    if (this.spoken) return;
    this.spoken = true;
    this.part("announce").textContent = `${view.labeled} stored`;
  }

  refused(reason) {
    this.refusal = { words: `Not stored: ${reason}`, until: performance.now() + 12000 };
  }

  notice(words) {
    this.noticeUntil = performance.now() + 6000;
    this.part("stored").textContent = words;
    this.part("announce").textContent = words;
  }
}
