// A number as a tester types it, and as screens show it in full; testimate/core/words.py reads and writes the same.

const LONGEST_NUMBER = 40; // characters; a double holds 17 digits
const LARGEST_NUMBER = 2 ** 53; // below it every whole number is counted exactly
const SPACES = /[ \u00a0\u2007\u2009\u202f]/g;
const MINUS = /[-\u2010-\u2014\u2212\ufe63\uff0d]/g;
const EDGES = /^[ \u00a0\u2007\u2009\u202f\t\r\n]+|[ \u00a0\u2007\u2009\u202f\t\r\n]+$/g;
const NUMBER = /^([+-]?)([0-9]+|[1-9][0-9]{0,2}(?: [0-9]{3})+|)(?:([.,])([0-9]*))?(?:[eE]([+-]?[0-9]+))?$/;

// The number that a text states as {value}, or why it states none, or could state two, as {refusal}.
export function readNumber(typed: string): { value: number, refusal?: undefined } | { value?: undefined, refusal: string } {
  const bare = typed.replace(EDGES, "");
  const text = inAscii(bare);
  if (text === "") return { refusal: "Nothing is typed. Type a number such as 0.25." };
  if (text.length > LONGEST_NUMBER) {
    return { refusal: `${text.length} characters are typed; a number has at most ${LONGEST_NUMBER}. Type it shorter.` };
  }
  const [, sign = "", whole = "", mark = "", decimals = "", exponent = ""] = NUMBER.exec(text) ?? [];
  if (!whole && !decimals) {
    return { refusal: `“${bare}” is not a number. Type digits with at most one decimal point, such as 12500.75 or 2.5e-3.` };
  }
  if (mark === "," && decimals.length === 3 && !whole.includes(" ") && /[1-9]/.test(whole)) {
    const either = `${sign}${whole}${decimals} or ${sign}${whole}.${decimals}`;
    return { refusal: `${text} could be ${either}. Type it without a comma, as one of these.` };
  }
  const value = Number(`${sign}${whole.replaceAll(" ", "") || "0"}.${decimals || "0"}e${exponent || "0"}`);
  if (!(Math.abs(value) < LARGEST_NUMBER)) return { refusal: `${text} is too large. Type a number between -9e15 and 9e15.` };
  if (value === 0 && /[1-9]/.test(whole + decimals)) {
    return { refusal: `${text} is too small to be distinguished from 0. Type 0 or a larger number.` };
  }
  return { value: value + 0 }; // -0 is 0
}

function inAscii(text: string) {
  return text
    .replace(SPACES, " ")
    .replace(MINUS, "-")
    .replace(/[\uff10-\uff19]/g, (digit) => String(digit.charCodeAt(0) - 0xff10)) // as input methods for Chinese write them
    .replaceAll("\uff0e", ".")
    .replaceAll("\uff0c", ",")
    .replaceAll("\uff0b", "+");
}

// All digits, with thin spaces between thousands and the unit.
export function numberInFull(value: number, unit = "") {
  const words = String(value);
  const point = /[.e]/.exec(words)?.index ?? words.length;
  const whole = words.slice(0, point).replace(/(?<=[0-9])(?=(?:[0-9]{3})+$)/g, "\u202f");
  return `${whole}${words.slice(point)} ${unit}`.trimEnd();
}
