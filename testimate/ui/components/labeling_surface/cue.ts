// A short sound after each answer, and a lower one for a key that was not taken; off unless the tester wants it.

const KEPT = "testimate-sound-cue"; // for all sessions of this browser
const LENGTH = 0.06; // seconds

export class Cue {
  context: AudioContext | null;

  constructor() {
    this.context = null; // browsers allow one only after the first key or click
  }

  get on() {
    try {
      return localStorage.getItem(KEPT) === "on";
    } catch {
      return false; // no storage on this site
    }
  }

  turn(wanted: boolean) {
    try {
      localStorage.setItem(KEPT, wanted ? "on" : "off");
    } catch {
      return;
    }
    if (wanted) this.answered();
  }

  answered() {
    this.play(880);
  }

  refused() {
    this.play(220);
  }

  /** @param pitch in hertz */
  play(pitch: number) {
    if (!this.on || typeof AudioContext === "undefined") return;
    this.context ??= new AudioContext();
    const { context } = this;
    const [tone, loudness] = [context.createOscillator(), context.createGain()];
    tone.frequency.value = pitch;
    loudness.gain.setValueAtTime(0.08, context.currentTime);
    loudness.gain.exponentialRampToValueAtTime(0.0001, context.currentTime + LENGTH);
    tone.connect(loudness).connect(context.destination);
    tone.start();
    tone.stop(context.currentTime + LENGTH);
  }
}
