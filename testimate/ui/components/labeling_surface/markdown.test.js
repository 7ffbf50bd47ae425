import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { turnsOf } from "./chat.ts";
import { markdownOf } from "./markdown.ts";
import { textsOf } from "./written.ts";
import { set } from "../../../../tests/javascript/stand_ins.js";

// An element that writes itself down; text is the only thing it can be given besides elements and attributes.
class Written {
  children = [];
  constructor(tag) { this.tag = tag; this.rows = []; }
  append(...more) { this.children.push(...more); }
  insertRow() { const row = new Written("tr"); this.append(row); return row; }
  set textContent(text) { this.children = [text]; }
  get textContent() { return this.children.map((one) => typeof one === "string" ? one : one.textContent).join(""); }
  get shape() {
    const inside = this.children.map((one) => typeof one === "string" ? one : one.shape).join("");
    return `<${this.tag}>${inside}</${this.tag}>`;
  }
}

beforeEach(() => {
  set("HTMLOListElement", class {});
  set("document", {
    createElement: (tag) => new Written(tag),
    createTextNode: (text) => ({ textContent: text, shape: text.replaceAll("<", "&lt;") }),
  });
});

const shape = (text) => markdownOf(text).shape;

test("lists, emphasis, code and tables stand as they are read", () => {
  assert.equal(shape("**Yes**, by `len`:\n\n- one\n- *two*"), "<div><p><strong>Yes</strong>, by <code>len</code>:</p><ul><li><p>one</p></li><li><p><em>two</em></p></li></ul></div>");
  assert.equal(shape("|a|b|\n|-|-|\n|1|2|"), "<div><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table></div>");
});

test("only what stands in a fence is code", () => {
  assert.match(shape("So:\n\n```python\nx = 1\n```"), /<p>So:<\/p><pre><span>x = <span>1<\/span><\/span><\/pre>/);
  assert.doesNotMatch(shape("- first\n- second\n\n\n\n        indented prose, not code:"), /<pre>/);
});

test("HTML stands as it is written, a link says where it leads, and a picture is not fetched", () => {
  const made = shape("<img src=x onerror=alert(1)> [here](javascript:alert(1)) ![cat](https://example.com/cat.png) **b**");
  assert.match(made, /&lt;img src=x onerror=alert\(1\)>/);
  assert.match(made, /<span>here<span> \(javascript:alert\(1\)\)<\/span><\/span>/);
  assert.match(made, /<span>\[picture: cat<span> \(https:\/\/example\.com\/cat\.png\)<\/span>\]<\/span>/);
  assert.doesNotMatch(made, /<(a|img|script)\b/);
});

test("a text without Markdown stays as it is, and so does one made to take long", () => {
  for (const text of ["A film.", "2 * 3 * 4", "*a_".repeat(4000), "> ".repeat(6000)]) assert.equal(markdownOf(text), null, text.slice(0, 20));
});

test("messages of a chat are turns, and a colon alone makes none", () => {
  assert.deepEqual(turnsOf("system:\nBe brief.\n\nuser:\nHi\n\nthere"), [["system", "Be brief."], ["user", "Hi\n\nthere"]]);
  assert.equal(turnsOf("user:\nHi"), null);
  assert.equal(turnsOf("Note:\nHi\n\nuser:\nHo"), null);
});

test("a cell that holds a list of texts is a list, and what only looks like one stays a text", () => {
  assert.deepEqual(textsOf('["One.", "Two\\nlines."]'), ["One.", "Two\nlines."]);
  // as CPython 3.11's repr and NumPy 2's str write them
  assert.deepEqual(textsOf(String.raw`['It is', "it's", 'both \' and "', 'C:\\new\n', 'caf\xe9 \u200b\U0001f600']`),
    ["It is", "it's", "both ' and \"", "C:\\new\n", "café \u200b\u{1f600}"]);
  assert.deepEqual(textsOf("['one two' \"it's\"\n 'three']"), ["one two", "it's", "three"]);
  const almost = ["['a', 1]", "['a'", "['a'] and ['b']", "['a', ['b']]", "['a''b']", "[', ']'", "['\\U00110000'"];
  for (const text of [...almost, '["a", 1]', "[1, 2]", '["a"] and more', '["a", ', "[a] [b]", "[]"]) assert.equal(textsOf(text), null, text);
});
