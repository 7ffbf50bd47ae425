import assert from "node:assert/strict";
import { test } from "node:test";

import { cameEmpty, closeButtonOfDialog, mayLoadAgain, wordsFor } from "./server_away.ts";
import { Storage } from "../../../tests/javascript/stand_ins.js";

const dialog = (title, close) => ({ textContent: `${title} and more`, querySelector: () => close });
const page = (...dialogs) => ({ querySelectorAll: () => dialogs });

test("Streamlit's dialog about the connection is the one that is closed, and none of the app's own", () => {
  const about = dialog("Connection error", "its button");
  assert.equal(closeButtonOfDialog(page(dialog("A closer look", "another"), about)), "its button");
  assert.equal(closeButtonOfDialog(page(dialog("A closer look", "another"))), null);
  assert.equal(closeButtonOfDialog(page()), null);
});

test("who works on the same computer is informed to start the app, all others to look at the network", () => {
  assert.match(wordsFor("127.0.0.1"), /Start Testimate again, and this page continues by itself/);
  assert.match(wordsFor("labels.example.org"), /Check your network, and this page continues by itself/);
});

const drawn = (connection, script, shown) => ({
  querySelector: (selector) => {
    const states = { "data-test-connection-state": connection, "data-test-script-state": script };
    return selector.includes("connection-state") ? { getAttribute: (name) => states[name] } : shown;
  },
});

test("a page came empty where its script has ended and nothing is there, not while it runs or the server is away", () => {
  assert.equal(cameEmpty(drawn("CONNECTED", "notRunning", null)), true);
  assert.equal(cameEmpty(drawn("CONNECTED", "notRunning", "a title")), false);
  assert.equal(cameEmpty(drawn("CONNECTED", "running", null)), false);
  assert.equal(cameEmpty(drawn("PINGING_SERVER", "notRunning", null)), false);
  assert.equal(cameEmpty({ querySelector: () => null }), false);
});

test("it is loaded again once a minute, not without end", () => {
  const storage = new Storage();
  const loaded = [0, 59_999, 60_000, 60_001].map((after) => mayLoadAgain(() => storage, 1_000_000 + after));
  assert.deepEqual(loaded, [true, false, true, false]);
});

test("a browser that forbids storage keeps the page, and what it holds", () => {
  assert.equal(mayLoadAgain(() => { throw new Error("forbidden"); }, 0), false);
});
