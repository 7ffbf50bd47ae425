// Which class is meant by the letters typed so far.

const MOST_WORDS = 8; // of a name, whose beginnings are tried
const MOST_LETTERS = 12;

// Small letters without accents.
const folded = (text: string) => text.trim().normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

const wordsOf = (text: string) => text.split(/[^\p{L}\p{N}]+/u).filter(Boolean);

// Whether the letters are beginnings of words, in their order: "grwsh" of great white shark.
function areBeginnings(letters: string, words: string[]): boolean {
  if (!letters) return true;
  return words.some((word, at) => {
    let most = 0;
    while (most < word.length && word[most] === letters[most]) most += 1;
    for (let taken = most; taken > 0; taken -= 1) {
      if (areBeginnings(letters.slice(taken), words.slice(at + 1))) return true;
    }
    return false;
  });
}

export class TypeAhead {
  entries: { place: number; name: string; plain: string; words: string[]; spaced: string; }[];

  /** @param order the places as they stand on the screen: of those that fit alike, the first comes first */
  constructor(names: string[], order: number[]) {
    this.entries = order.map((place) => {
      const name = names[place].trim();
      const plain = folded(name);
      const words = wordsOf(plain);
      return { place, name, plain, words, spaced: ` ${words.join(" ")} ` };
    });
  }

  // The places of the classes that fit, the best first: the name itself, a beginning of it, words of it, beginnings of
  // its words, a part of it.
  find(typed: string): number[] {
    const name = typed.trim();
    const plain = folded(typed);
    const words = wordsOf(plain).join(" ");
    const letters = words.replaceAll(" ", "");
    const rank = (one: TypeAhead["entries"][number]) => {
      if (one.name === name) return 0;
      if (one.plain === plain) return 1;
      if (one.plain.startsWith(plain)) return 2;
      if (words && one.spaced.includes(` ${words} `)) return 3;
      if (words && one.spaced.includes(` ${words}`)) return 4;
      if (letters && letters.length <= MOST_LETTERS && areBeginnings(letters, one.words.slice(0, MOST_WORDS))) return 5;
      return one.plain.includes(plain) ? 6 : 7;
    };
    const ranked: number[][] = [[], [], [], [], [], [], []];
    for (const one of this.entries) ranked[rank(one)]?.push(one.place);
    return ranked.flat();
  }
}
