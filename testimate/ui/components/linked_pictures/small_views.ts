// An input in small, as elements.

import { element } from "../elements.ts";

import type { Look } from "./types.ts";

export function lookOf(look: Look, { silent = false }: { silent?: boolean } = {}) {
  if (look.image) {
    const image = element("img", look.crisp ? "look crisp" : "look");
    image.src = `data:image/png;base64,${look.image}`;
    image.alt = "";
    return image;
  }
  if (look.audio) {
    const sound = element("div", "look sound");
    if (look.spectrogram) {
      const image = element("img", "spectrogram");
      image.src = `data:image/png;base64,${look.spectrogram}`;
      image.alt = image.title = look.title ?? "";
      sound.append(image);
    }
    if (silent) {
      sound.append(element("div", "words", "a sound: click the point to hear it"));
      return sound;
    }
    const audio = element("audio");
    audio.controls = true;
    audio.preload = "none";
    audio.src = `data:audio/wav;base64,${look.audio}`;
    sound.append(audio);
    return sound;
  }
  if (look.text !== undefined) return element("div", "look words", look.text);
  const list = element("dl", "look cells");
  for (const [name, value] of look.cells ?? []) list.append(element("dt", "", name), element("dd", "", value));
  if (look.more) list.append(element("dt", "", `and ${look.more} more`), element("dd", "", ""));
  return list;
}
