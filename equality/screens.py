"""Name the cases of the app: what every page says of every kind of test set, and a picture of every screen, light and dark.

What a page says is taken from Streamlit's AppTest, with everything that is folded; pictures and visible texts from a browser.
"""

import json
import logging
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import tomllib
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from equality.case import Case

PAGES = (
    *("subject", "clusters", "strata", "plan", "label", "results", "disputes", "team", "versions", "compare", "study"),
)
FIRST = "subject"
"""The page whose address is empty."""

KEPT, FIRST_HOUSE = "kept/2026-11-26", "first_house"
PATIENCE = 120
"""Seconds until a page is at rest."""

RUN_AGAIN = ("Cancel",)
"""Buttons of a page that still computes."""

UNLIKE = {
    *(
        "id",
        "formId",
        "formIdOrEmpty",
        "elementId",
        "hash",
        "activeScriptHash",
        "stackTrace",
        "mimeType",
        "deferredFileId",
    ),
    *("componentName", "htmlContent", "cssContent", "jsContent"),
}
"""Fields of a page's parts that name them or are code, and say nothing to people."""

ONE_RUN = re.compile(r'(\\"(?:delivery|page)\\": \\")[0-9a-f]{32}')
"""What a component is told, so that it can tell one run of its page from another."""

SIZE: Any = {"width": 1280, "height": 2000}
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
AT_REST = "[data-testid=stApp][data-test-script-state=notRunning][data-test-connection-state=CONNECTED]"
VISIBLE = """() => {
  const texts = [];
  const walk = (node) => {
    if (node.nodeType === Node.TEXT_NODE) {
      const text = node.textContent.trim();
      const shown = node.parentElement?.checkVisibility({ opacityProperty: true, visibilityProperty: true });
      if (text && (shown ?? true)) texts.push(text);
      return;
    }
    if (["STYLE", "SCRIPT", "NOSCRIPT"].includes(node.nodeName)) return;
    if (node.shadowRoot) walk(node.shadowRoot);
    for (const child of node.childNodes) walk(child);
  };
  walk(document.body);
  return texts.join("\\n");
}"""


def subjects_of(case: Case, source: str) -> dict[str, list[str]]:
    """Copy a project made before into the case's folder; return the sessions of each test set, the first one begun now.

    A session made before is labeled to its end, so that it has no input to show.
    """
    case.put(case.tree / "tests/projects_made_before" / source / "project")
    opened = case.testimate.Project(case.folder / "project")
    found: dict[str, list[str]] = {entry.key: [] for entry in opened.entries()}
    for record in opened.sessions():
        found.setdefault(record.subject, []).append(record.id)
    begun = {key: begin(case, opened, key) for key, ids in found.items() if ids}
    opened.store.close()
    return {key: [*begun[key], *sorted(found[key])] for key in sorted(begun)}


def begin(case: Case, opened: Any, key: str) -> list[str]:
    """Begin a session on a test set; return its id, and nothing for what takes no session."""
    try:
        session = opened.start_session(key, case.testimate.Request("srs", 24, 9))
    except case.testimate.TestimateError:
        return []
    case.recording.hide(session.session_record.id, f"<session on {key}>")
    return [str(session.session_record.id)]


def session_for(page: str, sessions: list[str]) -> str:
    """Return the new session for the page where one labels, and one that is labeled for the others."""
    return sessions[0] if page == "label" else sessions[-1]


def page_texts(source: str, page: str, case: Case) -> None:
    """Record all parts of one page, for every test set of a project with one of its sessions."""
    from streamlit.testing.v1 import AppTest

    logging.disable(logging.WARNING)  # that there is no browser
    subjects = subjects_of(case, source)
    os.environ["TESTIMATE_PROJECT"] = str(case.folder / "project")
    os.chdir(case.tree)
    for subject, sessions in subjects.items():
        for session in dict.fromkeys([session_for(page, sessions), sessions[-1]]):
            test = AppTest.from_file(str(case.tree / "pages" / f"{page}.py"), default_timeout=PATIENCE)
            test.query_params["subject"], test.query_params["session"] = subject, session
            test.run()
            begun = time.monotonic()
            while any(button.label in RUN_AGAIN for button in test.button) and time.monotonic() - begun < PATIENCE:
                time.sleep(0.2)  # between two looks
                test.run()
            case.note(subject, "\n".join(parts_of(test.main, "")))


def parts_of(block: Any, indent: str) -> Iterator[str]:
    """Yield a line for each part of a page, below the parts that hold it."""
    from google.protobuf.json_format import MessageToDict

    for part in block.children.values():
        proto = getattr(part, "proto", None)
        facts = {} if proto is None else MessageToDict(proto)
        text = json.dumps(without_names(facts), sort_keys=True, ensure_ascii=False)
        yield f"{indent}{part.type} " + ONE_RUN.sub(r"\1<run>", text)
        if hasattr(part, "children"):
            yield from parts_of(part, f"{indent}  ")


def without_names(facts: Any) -> Any:
    """Return facts without the names that Streamlit gives to parts."""
    if isinstance(facts, dict):
        return {name: without_names(value) for name, value in facts.items() if name not in UNLIKE}
    return [without_names(one) for one in facts] if isinstance(facts, list) else facts


@contextmanager
def served(case: Case) -> Iterator[str]:
    """Serve the case's project by ``testimate app``; give the address."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    scripts = tomllib.loads((case.tree / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    module, _, name = scripts["testimate"].partition(":")
    start = [sys.executable, "-c", f"from {module} import {name}; {name}()"]
    command = [*start, "app", "--project", str(case.folder / "project"), "--port", str(port)]
    with (case.folder / "server project.txt").open("wb") as said:
        server = subprocess.Popen(command, cwd=case.tree, stdout=said, stderr=said)
    address = f"http://127.0.0.1:{port}"
    case.recording.hide(address, "<server>")
    try:
        deadline = time.monotonic() + PATIENCE
        while not healthy(address):
            if server.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{case.tree} was not served.")
            time.sleep(0.2)  # a server does not announce that it is up
        yield address
    finally:
        server.kill()
        server.wait()


def healthy(address: str) -> bool:
    """Whether the server answers."""
    try:
        with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def pictures(source: str, scheme: Any, pages: tuple[str, ...], case: Case) -> None:
    """Record a picture and the visible texts of pages in a browser, for every test set of a project."""
    from playwright.sync_api import sync_playwright

    subjects = subjects_of(case, source)
    if source == FIRST_HOUSE:
        subjects = {key: sessions for key, sessions in subjects.items() if key == "digits"}
    with served(case) as address, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for subject, sessions in subjects.items():
            for name in pages:
                context = chromium.new_context(viewport=SIZE, color_scheme=scheme, reduced_motion="reduce")
                page = context.new_page()
                page.set_default_timeout(1000 * PATIENCE)
                place = "" if name == FIRST else name
                page.goto(f"{address}/{place}?subject={subject}&session={session_for(name, sessions)}")
                case.recording.pictures[f"{subject} {name}"] = at_rest(page)
                case.note(f"{subject} {name}", str(page.evaluate(VISIBLE)))
                context.close()
        chromium.close()


def at_rest(page: Any) -> bytes:
    """Return a picture of the page once nothing runs and nothing moves."""
    deadline = time.monotonic() + PATIENCE
    page.locator(AT_REST).wait_for()
    page.mouse.move(0, 400)
    before, same = b"", 0
    while same < 3 and time.monotonic() < deadline:
        page.wait_for_timeout(500)
        page.locator(AT_REST).wait_for()
        now = page.screenshot(animations="disabled", caret="hide")
        busy = page.get_by_role("button", name=re.compile("^Cancel$")).count()
        same = same + 1 if now == before and not busy else 0
        before = now
    return before


def screens() -> dict[str, Callable[[Case], None]]:
    """Return every case of the app by its name."""
    cases: dict[str, Callable[[Case], None]] = {}
    cases |= {
        f"pictures/digits {scheme}": partial(pictures, FIRST_HOUSE, scheme, PAGES) for scheme in ("light", "dark")
    }
    cases |= {"pictures/kinds light": partial(pictures, KEPT, "light", ("subject", "plan", "label", "results"))}
    for source in (FIRST_HOUSE, KEPT):
        cases |= {f"pages/{page} of {source.replace('/', '-')}": partial(page_texts, source, page) for page in PAGES}
    return cases


CASES = screens()
