import assert from "node:assert/strict";
import { test } from "node:test";

import { closeButtonOfDialog, wordsFor } from "./server_away.ts";

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
