"""The labeling surface in a notebook's cell: the same keys, taken only where the cell has the focus."""

import json

import pandas as pd

from testimate import label, open_subject, select
from tests.browser.surface_without_streamlit import ORIGIN

MOUNT = """async ([esm, view]) => {
  document.body.innerHTML = "<p id=outside tabindex=0>another cell</p><div id=cell></div>";
  const module = await import(URL.createObjectURL(new Blob([esm], { type: "text/javascript" })));
  const values = { view };
  const works = new Set();
  const model = {
    get: (name) => values[name],
    on: (name, work) => works.add(work),
    off: (name, work) => works.delete(work),
    send: async (message) => {
      values.view = JSON.parse(await window.toPython(JSON.stringify(message)));
      for (const work of works) work();
    },
  };
  window.seenOutside = [];
  document.addEventListener("keydown", (event) => { if (!event.defaultPrevented) window.seenOutside.push(event.key); });
  window.end = module.default().render({ model, el: document.querySelector("#cell") });
}"""


def test_a_plan_is_labeled_by_keys_inside_the_cell_and_keys_elsewhere_stay_the_notebooks(page):
    subject = open_subject(
        pd.DataFrame({"prediction": ["cat", "dog"] * 20, "text": [f"animal {n}" for n in range(40)]})
    )
    plan = select(subject, budget=6, seed=1, technique="srs")
    widget = label(plan, subject)

    def to_python(message: str) -> str:
        widget._handle_custom_msg(json.loads(message), [])
        return json.dumps(widget.view)

    page.route(ORIGIN, lambda route: route.fulfill(content_type="text/html", body="<!doctype html><body></body>"))
    page.goto(ORIGIN)
    page.expose_function("toPython", to_python)
    page.evaluate(MOUNT, [widget._esm, widget.view])
    page.get_by_text(f"animal {plan.rows[0]}", exact=True).wait_for()
    page.wait_for_timeout(300)
    page.locator("#outside").click()
    page.keyboard.press("1")
    page.keyboard.press("d")
    assert page.evaluate("window.seenOutside") == ["1", "d"]
    assert len(widget.votes) == 0

    page.locator(".stage").click()
    for key in "1212":
        page.keyboard.press(key)
    page.get_by_text(f"animal {plan.rows[4]}", exact=True).wait_for()
    page.wait_for_function("() => !Object.keys(localStorage).some((name) => name.startsWith('testimate notebook'))")
    assert widget.votes.cells == dict(zip(plan.rows[:4], ("cat", "dog", "cat", "dog"), strict=True))
    page.keyboard.press("Backspace")
    page.wait_for_function("() => !Object.keys(localStorage).some((name) => name.startsWith('testimate notebook'))")
    assert set(widget.votes.cells) == set(plan.rows[:3])
    assert page.evaluate("document.querySelector('#cell').dataset.lmSuppressShortcuts") == "true"
    page.evaluate("window.end()")
