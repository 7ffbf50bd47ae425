"""The labeling surface for hands without a mouse and eyes that listen: keys set again, the focus, roles and names."""

import json

import pytest
from axe_playwright_python.base import AXE_FILE_PATH

from tests.browser.app_steps import let_it_be_seen, still
from tests.browser.surface_steps import press, shown, stored, until, visit

FOCUSED = """() => {
  const host = document.querySelector("[data-testid=stBidiComponentIsolated]");
  const node = document.activeElement === host ? host.shadowRoot.activeElement : null;
  if (!node) return null;
  const style = getComputedStyle(node);
  const name = node.getAttribute("aria-label") || node.textContent.trim();
  return [name, style.outlineStyle, parseFloat(style.outlineWidth)];
}"""


def answers(read: list[dict]) -> list[tuple[int, object]]:
    return [(event["row"], event["answer"]) for event in read if event["kind"] == "answer"]


def set_key(page, name: str, key: str) -> None:
    page.get_by_role("button", name=f"{name}: ").click()
    page.keyboard.press(key)


def test_a_key_set_anew_answers_and_what_had_it_takes_the_other_and_a_reload_remembers(bare, page, events):
    visit(page, bare, "text-setkeys")
    page.keyboard.press("?")
    set_key(page, "3", "7")
    assert page.get_by_role("button", name="7: key 3; change it").is_visible()
    page.keyboard.press("Escape")
    assert page.locator(".classes button").nth(3).get_attribute("aria-keyshortcuts") == "7"
    press(page, "7", "3", "5")
    page.reload()
    page.wait_for_selector(".surface[data-row='103']")
    let_it_be_seen(page)
    press(page, "7")
    until(lambda: stored(page), page)
    assert answers(events("text-setkeys")) == [(100, 3), (101, 7), (102, 5), (103, 3)]
    visit(page, bare, "text-otherkeys")  # another session keeps the usual ones
    press(page, "7")
    until(lambda: stored(page), page)
    assert answers(events("text-otherkeys")) == [(100, 7)]


def test_an_action_gets_another_key_and_the_usual_ones_come_back(bare, page, events):
    visit(page, bare, "text-actions")
    page.keyboard.press("?")
    set_key(page, "can't tell", "x")
    set_key(page, "skip, it comes back later", "c")
    assert "another meaning" in page.locator(".help-said").text_content()
    page.keyboard.press("v")
    page.keyboard.press("Escape")
    assert [page.locator(f"[data-act='{act}'] kbd").text_content() for act in ("cannot tell", "skip")] == ["x", "v"]
    press(page, "x", " ", "s", "v")
    assert shown(page) == "input 102"
    page.keyboard.press("?")
    page.get_by_role("button", name="usual keys").click()
    page.keyboard.press("Escape")
    press(page, " ")
    until(lambda: len(events("text-actions")) == 3, page)
    until(lambda: stored(page), page)
    received = [(event["kind"], event["row"]) for event in events("text-actions")]
    assert received == [("cannot tell", 100), ("skip", 101), ("cannot tell", 102)]


@pytest.mark.parametrize(
    "kept",
    [
        "no JSON",
        json.dumps({"classes": ["other"], "keys": [["class 0", "1"]]}),
        json.dumps(
            {"classes": [str(place) for place in range(10)], "keys": [[f"class {place}", "5"] for place in range(10)]}
        ),
    ],
)
def test_keys_kept_for_other_classes_or_damaged_are_left_out(bare, page, events, kept):
    visit(page, bare, "text-badkeys")
    page.evaluate("(kept) => localStorage.setItem('testimate-keys text-badkeys', kept)", kept)
    before = len(events("text-badkeys"))
    page.reload()
    page.wait_for_selector(".surface:not([data-row=''])")
    let_it_be_seen(page)
    press(page, "5")
    until(lambda: len(events("text-badkeys")) == before + 1, page)
    assert events("text-badkeys")[-1]["answer"] == 5


def test_tab_reaches_everything_and_the_focus_is_seen(bare, page, events):
    visit(page, bare, "digit-tab")
    press(page, "4")
    until(lambda: stored(page), page)
    page.locator(".help-open").focus()
    reached = []
    for _ in range(24):
        page.keyboard.press("Tab")
        found = page.evaluate(FOCUSED)
        if found is None:
            break
        reached.append(found)
    assert reached.pop(0)[0].startswith("Input to judge")
    names = [name for name, _, _ in reached]
    assert [name for name in names if name in tuple("0123456789")] == list("0123456789")
    assert [name.split()[-1] for name in names[10:15]] == ["these", "tell", "skip", "flag", "undo"]
    assert names[15].startswith("input 100: 4")
    assert all(style == "solid" and width >= 2 for _, style, width in reached)
    page.locator(".strip button").focus()
    page.keyboard.press("Enter")  # the strip, too, without a mouse: choose, and change
    press(page, "8")
    until(lambda: len(events("digit-tab")) == 2, page)
    assert answers(events("digit-tab")) == [(100, 4), (100, 8)]


def test_the_focus_stays_in_the_list_of_keys_and_goes_back_where_it_was(bare, page):
    visit(page, bare, "text-dialog")
    page.locator(".classes button").nth(2).focus()
    page.keyboard.press("?")
    for _ in range(40):
        page.keyboard.press("Tab")
        assert page.evaluate(FOCUSED) is not None
    assert page.locator(".help").is_visible()
    page.keyboard.press("Escape")
    assert page.evaluate(FOCUSED)[0] == "2"


def test_the_input_has_the_focus_on_arrival_after_an_answer_and_after_the_list_of_keys_or_a_note(bare, page):
    """Else a screen reader takes letters and digits for its own commands."""
    visit(page, bare, "text-focus")
    assert page.evaluate(FOCUSED)[0].startswith("Input to judge")
    press(page, "3")
    assert page.evaluate(FOCUSED)[0].startswith("Input to judge")
    press(page, "?")
    assert page.evaluate(FOCUSED)[0].startswith("close")
    press(page, "Escape")
    assert page.evaluate(FOCUSED)[0].startswith("Input to judge")
    press(page, "f", "o", "d", "d", "Enter")
    until(lambda: (page.evaluate(FOCUSED) or [""])[0].startswith("Input to judge"), page)
    page.locator(".strip button").last.focus()
    page.keyboard.press("Tab")
    page.wait_for_timeout(50)
    assert page.evaluate(FOCUSED) is None  # nobody is held here


def test_a_reader_of_the_page_finds_roles_and_names(bare, page):
    visit(page, bare, "digit-roles")
    press(page, "1")
    until(lambda: stored(page), page)
    surface = page.get_by_role("application", name="Labeling surface")
    for role, name in (
        ("application", "Input to judge"),
        ("group", "Classes"),
        ("group", "Other answers"),
        ("progressbar", "Labeled"),
        ("img", "input 101"),
        ("button", "7"),
        ("button", "can't tell"),
        ("list", "Last labels, newest first; choose one to change it"),
    ):
        assert surface.get_by_role(role, name=name).count() >= 1, (role, name)
    until(lambda: "1 for input 100. 1 of " in page.locator(".announce").text_content(), page)
    assert page.locator(".announce").text_content().endswith("saved. Now input 101: a picture")


@pytest.mark.parametrize(
    ("case", "keys"),
    [
        ("digit-axelist", ["1", "?"]),
        ("photo-axenote", ["1", "f"]),
        ("text-axewaiting", []),
        pytest.param("digit-axe", ["1", "2"], marks=pytest.mark.slow),  # on Label in test_every_page.py
        *(
            pytest.param(f"{kind}-axe", ["1"], marks=pytest.mark.slow)
            for kind in ("code", "many", "multi", "number", "sound", "table")
        ),
    ],
)
def test_axe_finds_nothing_to_object_to(bare, page, case, keys):
    """axe-core 4.12, the rules of WCAG 2.2 at the levels A and AA."""
    visit(page, bare, case)
    press(page, *keys)
    page.wait_for_timeout(400)  # the colors of what was pressed fade back
    page.evaluate(AXE_FILE_PATH.read_text())
    found = page.evaluate(
        "() => axe.run({ include: [[['[data-testid=stBidiComponentIsolated]', '.surface']]] }, { runOnly: "
        "['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'], resultTypes: ['violations'] })"
    )
    objections = [
        (one["id"], node["target"], node["failureSummary"]) for one in found["violations"] for node in one["nodes"]
    ]
    assert objections == []
    assert len(found["passes"]) > 10


def test_source_code_has_numbered_lines_and_every_letter(bare, page):
    visit(page, bare, "code-lines")
    assert shown(page) == "def mean_100(values):\n    total = sum(values)\n    return total / len(values)\n"
    assert page.locator(".code .line").count() == 3
    assert page.locator(".code .keyword").all_text_contents() == ["def", "return"]
    assert "monospace" in page.locator(".code").evaluate("(code) => getComputedStyle(code).fontFamily")
    numbers = page.locator(".code .line").evaluate_all(
        "(all) => all.map((line) => getComputedStyle(line, '::before').content)"
    )
    assert numbers == ["counter(line)"] * 3


def test_a_table_row_shows_each_cell_letter_by_letter(bare, page):
    visit(page, bare, "table-cells")
    cells = page.locator(".input tr").evaluate_all(
        "(rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent))"
    )
    assert cells == [
        ["age", "130"],
        ["income", "48,200"],
        ["married", "yes"],
        ["town", "<b>Porto</b>"],
        ["children", "2"],
    ]


def test_the_strip_has_its_small_pictures_again_after_a_reload_without_a_key(bare, page):
    visit(page, bare, "digit-strip")
    press(page, "1", "2", "3")
    until(lambda: stored(page), page)
    page.reload()
    page.wait_for_selector(".strip li")
    until(lambda: page.locator(".strip canvas").count() == 3, page)
    inked = page.locator(".strip canvas").evaluate_all(
        "(all) => all.map((one) => one.getContext('2d').getImageData(0, 0, one.width, one.height).data"
        ".some((value, place) => place % 4 === 0 && value > 100))"
    )
    assert inked == [True] * 3


def test_who_has_nothing_to_label_is_told_why_and_gets_the_next_input_by_itself(app, page):
    page.goto(f"{app.url}/?case=text-waiting-team")
    page.wait_for_selector(".surface .calm:not([hidden])")
    assert page.locator(".surface .calm").text_content() == "Waiting for the other testers."
    until(lambda: shown(page) == "input 100", page)


def test_a_hundred_thousand_letters_and_control_characters_are_shown_and_labeled(bare, page, events):
    visit(page, bare, "long")
    assert shown(page).endswith("x" * 100_000)
    width = page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert width <= 0
    press(page, "f")
    page.locator(".note-field").fill("<script>window.hacked = 3</script>" + "z" * 3_000)
    page.keyboard.press("Enter")
    press(page, "1", "2")
    until(lambda: stored(page), page)
    flag, first, second = events("long")
    assert flag["detail"]["note"] == ("<script>window.hacked = 3</script>" + "z" * 3_000)[:2000]
    assert answers([first, second]) == [(100, 0), (101, 1)]
    assert page.evaluate("() => window.hacked") is None
    assert page.locator(".strip li").count() == 2


def test_where_classes_are_letters_those_that_streamlit_takes_are_classes_too_and_skip_has_moved_visibly(
    app, page, events
):
    visit(page, app, "letters-own")
    runs = page.locator("[data-testid=stDialog], [role=dialog][aria-modal=true]:not(.help)")
    press(page, "c", "r", "s", "f")
    until(lambda: len(events("letters-own")) == 4, page)
    assert answers(events("letters-own")) == [(100, 2), (101, 17), (102, 18), (103, 5)]
    assert runs.count() == 0
    assert page.locator("[data-act=skip].moved kbd").text_content() == "→"
    press(page, "ArrowRight")
    until(lambda: len(events("letters-own")) == 5, page)
    assert events("letters-own")[-1]["kind"] == "skip"
    page.keyboard.press("?")
    how = page.locator(".help-how").text_content()
    assert how == "Press the letter of the class. Other keys here: none of these “←”, skip “→”, flag “,”."


def test_an_answer_changed_in_a_second_tab_is_told_in_the_first_and_the_strip_stays_on_one_row(
    bare, page, context, events
):
    visit(page, bare, "text-told")
    press(page, *"123456789012")
    until(lambda: stored(page), page)
    tops = page.locator(".strip li").evaluate_all("(items) => new Set(items.map((item) => item.offsetTop)).size")
    assert tops == 1
    other = context.new_page()
    visit(other, bare, "text-told")
    other.locator(".strip button[data-row='105']").click()
    press(other, "9")
    until(lambda: stored(other), other)
    other.close()
    press(page, "5")
    until(lambda: "changed elsewhere: 6, now 9" in page.locator(".stored").text_content(), page)


@pytest.mark.parametrize("case", ["digit-plain", "digit-plain-slow"])
def test_the_plain_way_says_what_was_stored_and_which_input_came_and_keeps_the_place(case, app, page, events):
    page.goto(f"{app.url}/?case={case}")
    said, line = page.get_by_role("status"), "() => document.activeElement.shadowRoot?.activeElement?.textContent ?? ''"
    page.get_by_role("button", name="3", exact=True).wait_for()
    still(page)
    until(lambda: said.text_content() == "0 of 200 done. Now input 100.", page)
    assert page.get_by_role("img", name="Input 100").count() == 1
    heard = []
    for key in ("3", "Can't tell"):
        page.get_by_role("button", name=key, exact=True).focus()
        page.keyboard.press("Enter")
        count = len(heard) + 1
        until(lambda count=count: said.text_content().startswith(f"{count} of 200 done."), page)
        until(lambda: page.evaluate(line) == said.text_content(), page)
        heard.append(said.text_content())
    assert heard == [
        "1 of 200 done. Input 100: 3. Now input 101.",
        "2 of 200 done. Input 101: can't tell. Now input 102.",
    ]
    page.keyboard.press("Tab")  # on to the new input and its answers, not to the top of the page
    reached = page.evaluate(
        "() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent"
    )
    assert reached in ("Fullscreen", "Fullscreen: Input 102", "0")
    assert answers(events(case)) == [(100, 3)]
