"""Verdicts in a real browser: what stands side by side is text, a reason that is asked for holds the answer up, keys grade."""

import pytest

from testimate.core.subject import Pane, Shown
from testimate.tasks.verdict import Judgment
from tests.browser.surface_without_streamlit import BareSurface

HOSTILE = "<b>bold</b><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>"

TRANSCRIPT = " ".join(f"word{number}" for number in range(3000))  # 26,889 letters in one line
UNBROKEN = "\N{CAT}" * 6000  # 12,000 UTF-16 units without a space


def judged(row: int) -> Shown:
    compared, said = row >= 102, HOSTILE if row == 100 else ""
    panes = (
        Pane("Input", Shown("text", text=f"question {row}")),
        Pane(
            "Output",
            Shown("text", text=said),
            (("two ", False), ("cats", True)) if compared else (),
        ),
        Pane("Reference", Shown("text", text="two dogs"), (("two ", False), ("dogs", True)) if compared else ()),
    )
    return Shown("text", text="all of it", panes=panes)


@pytest.fixture
def surface(page):
    made = BareSurface(Judgment(), reasons=(1, 2), shown=judged)
    made.open(page)
    return made


def in_surface(page, expression):
    return page.evaluate(f"() => {{ const root = window.surfaceRoot; return {expression}; }}")


def test_an_output_is_text_whatever_it_holds_and_an_empty_one_says_so(page, surface):
    assert in_surface(page, "root.querySelector('.of-output .pane-body').textContent") == HOSTILE
    assert in_surface(page, "root.querySelectorAll('.pane b, .pane script, .pane-body img').length") == 0
    page.keyboard.press("1")
    assert "Empty: there is no text." in in_surface(page, "root.querySelector('.of-output').textContent")
    assert in_surface(page, "root.querySelector('.strip button').title") == "input 100: right; the output was right"
    page.keyboard.press("1")
    marks = in_surface(page, "[...root.querySelectorAll('mark')].map((mark) => mark.textContent)")
    assert marks == ["cats", "dogs"]
    assert page.evaluate("() => window.hacked") is None


def test_a_long_line_appears_by_its_beginning_and_is_whole_once_that_is_drawn(page):
    def spoken(row: int) -> Shown:
        marked = ((TRANSCRIPT, False), (" and", True))
        panes = (
            Pane("Input", Shown("text", text=UNBROKEN)),
            Pane("Output", Shown("text", text=f"{TRANSCRIPT} and"), marked if row > 100 else ()),
        )
        return Shown("text", text="all of it", panes=panes)

    BareSurface(Judgment(), shown=spoken).open(page)
    press = "document.dispatchEvent(new KeyboardEvent('keydown', { key: '1', code: 'Digit1', bubbles: true, composed: true }))"
    begun = page.evaluate(f"""async () => {{
      {press};
      const begun = [...window.surfaceRoot.querySelectorAll(".pane-body")].map((pane) => pane.textContent);
      await new Promise((done) => setTimeout(done, 1));
      return begun;
    }}""")
    for beginning, whole in zip(begun, (UNBROKEN, f"{TRANSCRIPT} and"), strict=True):
        assert whole.startswith(beginning)
        assert 4000 <= len(beginning) < len(whole)
    page.wait_for_function("() => window.surfaceRoot.querySelector('mark')?.textContent === ' and'")
    whole = in_surface(page, "[...root.querySelectorAll('.pane-body')].map((pane) => pane.textContent)")
    assert whole == [UNBROKEN, f"{TRANSCRIPT} and"]


def test_nothing_is_stored_without_the_reason_that_is_asked_for_and_the_grade_with_it(page, surface):
    page.keyboard.press("3")
    page.keyboard.press("Enter")
    assert in_surface(page, "root.querySelector('.reason-lacking').textContent") == "Type a reason to save this answer."
    page.keyboard.press("Escape")
    assert in_surface(page, "root.querySelector('.surface').dataset.row") == "100"
    page.keyboard.press("2")
    page.keyboard.type("it is 1 of 3, and says 2")  # digits are letters here, not grades
    page.keyboard.press("Enter")
    page.keyboard.press("1")
    surface.settled(page)
    stored = [(event.row, event.answer, event.detail.get("reason")) for event in surface.events]
    assert stored == [(100, 1, "it is 1 of 3, and says 2"), (101, 0, None)]


LINK, PICTURE = "[here](https://example.com)", "![cat](https://example.com/cat.png)"
MARKDOWN = f"## Steps\n\n1. **Sort**\n2. `look`\n\n```\nx = 1\n```\n\n{LINK} {PICTURE} <b>b</b>"
CHAT = "user:\nHow?\n\nassistant:\nBy *hand*."


def test_markdown_and_chats_are_read_as_people_do_without_fetching_and_letter_by_letter_on_request(page):
    panes = (Pane("Input", Shown("text", text=CHAT)), Pane("Output", Shown("text", text=MARKDOWN)))
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    BareSurface(Judgment(), shown=lambda row: Shown("text", text="all of it", panes=panes)).open(page)
    begun = len(asked)
    count = "root.querySelectorAll('.of-output {}').length"
    assert [in_surface(page, count.format(one)) for one in ("li", "strong", "pre.code", "a", "img", "b")] == [
        2,
        1,
        1,
        0,
        0,
        0,
    ]
    turns = in_surface(page, "[...root.querySelectorAll('.of-input .turn')].map((turn) => turn.textContent)")
    assert turns == ["userHow?", "assistantBy hand."]
    page.get_by_role("button", name="as written").last.click()
    assert in_surface(page, "root.querySelector('.of-output pre').textContent") == MARKDOWN
    page.keyboard.press("1")  # the surface's keys go on
    page.wait_for_function("() => window.surfaceRoot.querySelector('.surface').dataset.row === '101'")
    assert asked[begun:] == []


def test_columns_that_the_owner_chose_stand_with_the_input_and_contexts_are_a_list(page):
    contexts = '["Paris is in **France**.", "Rome is in Italy."]'
    panes = (
        Pane("Input", Shown("text", text="Where is Paris?")),
        Pane("contexts", Shown("text", text=contexts), further=True),
        Pane("Output", Shown("text", text="In France.")),
        Pane("Reference", Shown("text", text="France")),
    )
    BareSurface(Judgment(), shown=lambda row: Shown("text", text="all of it", panes=panes)).open(page)
    boxes = in_surface(
        page,
        "[...root.querySelectorAll('.pane')].map((pane) => { const box = pane.getBoundingClientRect();"
        " return [pane.querySelector('.pane-title').firstChild.data, Math.round(box.left), Math.round(box.top)]; })",
    )
    assert [name for name, _, _ in boxes] == ["Input", "contexts", "Output", "Reference"]
    (_, left, top), (_, further_left, further_top), (_, output_left, _), (_, reference_left, _) = boxes
    assert left == further_left < output_left == reference_left
    assert further_top > top
    items = in_surface(page, "[...root.querySelectorAll('.listed > li')].map((item) => item.textContent)")
    assert items == ["Paris is in France.", "Rome is in Italy."]
    page.get_by_role("button", name="as written").first.click()
    assert in_surface(page, "root.querySelector('.further pre').textContent") == contexts


def test_source_code_keeps_its_letters_beside_a_reference(page):
    code = "def mean(values):\n    return sum(values) / len(values)\n"
    panes = (
        Pane("Output", Shown("text", text=code, code=True), ((code, False),)),
        Pane("Reference", Shown("text", text="none"), (("none", True),)),
    )
    BareSurface(Judgment(), shown=lambda row: Shown("text", text="all of it", panes=panes)).open(page)
    family = "getComputedStyle(root.querySelector('.of-{} pre')).fontFamily"
    assert "monospace" in in_surface(page, family.format("output"))
    assert "monospace" not in in_surface(page, family.format("reference"))
