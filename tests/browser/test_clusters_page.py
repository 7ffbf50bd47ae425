"""A reviewer's walk over the clusters in a real browser: the least sure one, its criticisms, a note, and the note again."""

import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

from testimate.charts.cluster_map import MOST_PICTURES
from testimate.core.selector import Request
from testimate.core.words import commas
from testimate.project.project import Project
from tests.browser.app_steps import click, still

ROOT = Path(__file__).parents[2]
GONE = ["WebSocket", "ERR_CONNECTION", "Failed to load resource", "Failed to fetch", "disconnected", "health"]
NOTE = "Threes, fives and nines <b>mixed</b>: the stroke on top decides."
CHART = ".st-key-map .js-plotly-plot"


@pytest.fixture(scope="module")
def view(digits):
    """What is found, computed beside the app."""
    return Project(digits.folder).clusters("digits")


@pytest.fixture(scope="module")
def points(digits, view):
    """The neighbor map, laid out beside the app: another process, the same map."""
    project = Project(digits.folder)
    project.jobs.wait(project.find_map("digits", view.settings.features).key, 90)
    return project.map_now("digits", view.settings.features).planar.points


def open_clusters(page, app) -> None:
    page.goto(f"{app.url}/clusters?subject=digits")
    page.locator(f"{CHART} .main-svg").first.wait_for(timeout=90_000)
    page.get_by_text("Poorly represented", exact=True).first.wait_for(timeout=60_000)
    expect(page.get_by_text("Looking for neighbors")).to_have_count(0, timeout=90_000)
    still(page)
    page.wait_for_timeout(1000)  # the chart settles


def wall(page, name: str) -> list[int]:
    """The rows of the inputs that hang on a wall."""
    items = page.get_by_role("list", name=name, exact=True).locator("button[data-row]")
    items.first.wait_for(timeout=30_000)
    return [int(items.nth(place).get_attribute("data-row")) for place in range(items.count())]


def place_of(page, row: int) -> dict[str, float]:
    """Where on the screen the map has the point of a row."""
    return page.evaluate(
        """([selector, row]) => {
            const chart = document.querySelector(selector), layout = chart._fullLayout, box = chart.getBoundingClientRect();
            for (const trace of chart._fullData) {
                const place = Array.from(trace.customdata ?? []).indexOf(row);
                if (place >= 0) return { x: box.left + layout.xaxis._offset + layout.xaxis.l2p(trace.x[place]),
                                         y: box.top + layout.yaxis._offset + layout.yaxis.l2p(trace.y[place]) };
            }
        }""",
        [CHART, row],
    )


def width_in_view(page) -> float:
    """How much of the map is in view, in its own units."""
    left, right = page.evaluate(f"document.querySelector('{CHART}')._fullLayout.xaxis.range")
    return right - left


def lonely_row(view, points) -> int:
    """The input of a cluster farthest from its nearest neighbor on the map, so that the pointer can mean no other."""
    inside = np.flatnonzero(view.labels >= 0)
    distances = np.linalg.norm(points[inside, None] - points[None], axis=2)
    return int(inside[np.partition(distances, 1, axis=1)[:, 1].argmax()])


def test_in_projector_mode_buttons_stay_question_marks_go_and_the_map_names_its_clusters_alone(digits, page, view):
    page.goto(f"{digits.url}/clusters?subject=digits&lecture=on")
    page.locator(f"{CHART} .main-svg").first.wait_for(timeout=90_000)
    following = page.locator(".st-key-step-1 button").first  # Streamlit keeps a second one for touch
    expect(following).to_be_visible(timeout=60_000)
    expect(page.get_by_role("button", name="Help for Map")).to_be_hidden()
    names = page.evaluate(
        f"[...document.querySelectorAll('{CHART} .annotation-text')].map((one) => one.textContent.trim())"
    )
    assert names
    assert all(re.fullmatch(r"Mostly \d( · .+)?( \d+)?|\d or \d( · .+)?( \d+)?", name) for name in names)
    legend = page.locator(f"{CHART} .legendtext").all_text_contents()
    assert not [name for name in legend if name.startswith("cluster")]  # the groups have their numbers


@pytest.mark.slow  # tests/pages/test_clusters_page.py does the same without a browser
def test_a_reviewer_finds_the_least_sure_cluster_notes_what_it_is_and_finds_the_note_after_a_restart(
    run_app, page, tmp_path, expected_errors
):
    expected_errors += GONE
    folder = tmp_path / "project"
    Project(folder).start_session("digits", Request("rrs", budget=40, seed=1))
    view = Project(folder).clusters("digits")
    app = run_app(ROOT / "serve.py", TESTIMATE_PROJECT=str(folder))
    card = min(view.cards, key=lambda card: card.mean_confidence)
    open_clusters(page, app)
    expect(page.get_by_text(f"Cluster {card.number + 1}: ")).to_be_visible()
    assert wall(page, "Prototypes") == card.prototypes.tolist()
    way = "rarer" if card.witness[0] > 0 else "more common"
    alike = (card.witness > 0) == (card.witness[0] > 0)
    beside = card.prototypes[card.nearest[alike]].tolist()
    name = f"Criticisms that look {way}"
    assert wall(page, name) == [
        row for pair in zip(card.criticisms[alike].tolist(), beside, strict=True) for row in pair
    ]
    first = page.get_by_role("list", name=name, exact=True).locator("button[data-row]").first
    assert f"criticism 1 of cluster {card.number + 1}" in first.get_attribute("aria-label")

    first.click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text(f"Input {commas(card.criticisms[0])}")).to_be_visible(timeout=30_000)
    dialog.get_by_role("button", name="7", exact=True).click()
    expect(dialog.get_by_text("Labeled while exploring: 7")).to_be_visible(timeout=30_000)
    still(page)
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden(timeout=30_000)
    [session] = Project(folder).sessions()
    reopened = Project(folder).session(session.id)
    assert reopened.explored() == {int(card.criticisms[0]): 7}
    assert reopened.labeled == 0

    click(page, page.get_by_role("button", name="Rename"))
    page.get_by_role("textbox", name="What is this cluster?").fill(NOTE)
    page.get_by_role("button", name="Save note").click()
    expect(page.get_by_text("by tester")).to_be_visible(timeout=30_000)

    app.kill()
    app.start()
    page.goto("about:blank")
    open_clusters(page, app)
    click(page, page.get_by_role("button", name="Rename"))
    expect(page.get_by_role("textbox", name="What is this cluster?")).to_have_value(NOTE)
    assert [note.text for note in Project(folder).cluster_notes.of("digits")] == [NOTE]


def test_the_map_shows_the_input_under_the_pointer_and_picks_by_click_and_by_lasso(digits, page, view, points):
    open_clusters(page, digits)
    row = lonely_row(view, points)
    place = place_of(page, row)
    page.mouse.move(place["x"] - 60, place["y"] - 30)
    page.mouse.move(place["x"], place["y"], steps=4)
    shown = page.locator(f".pointer[data-row='{row}']:not([hidden])")
    shown.wait_for(timeout=30_000)
    assert f"input {commas(row)}" in shown.inner_text()
    assert f"cluster {view.labels[row] + 1}" in shown.inner_text()

    page.mouse.click(place["x"], place["y"])
    expect(page.get_by_role("heading", name=f"Input {commas(row)}", exact=True)).to_be_in_viewport(timeout=30_000)
    assert wall(page, "Picked on the map") == [row]
    ring = page.locator(f".ring.marked[data-row='{row}']")
    expect(ring).to_be_visible()
    box = ring.bounding_box()
    assert abs(box["x"] + box["width"] / 2 - place["x"]) < 2
    assert abs(box["y"] + box["height"] / 2 - place["y"]) < 2
    expect(page.get_by_text(f"Cluster {view.labels[row] + 1}: ")).to_be_visible()

    page.locator(CHART).scroll_into_view_if_needed()
    box = page.locator(CHART).bounding_box()
    left, top = box["x"] + 0.15 * box["width"], box["y"] + 0.1 * box["height"]
    right, bottom = box["x"] + 0.95 * box["width"], box["y"] + 0.8 * box["height"]
    page.mouse.move(left, top)
    page.mouse.down()
    for x, y in ((right, top), (right, bottom), (left, bottom), (left, top + 5)):
        page.mouse.move(x, y, steps=8)
    page.mouse.up()
    heading = page.locator("h3", has_text="selected")
    expect(heading).to_be_in_viewport(timeout=30_000)
    assert int(heading.inner_text().split(" ")[0].replace(",", "")) > 300
    expect(ring).to_be_hidden()

    picture = page.get_by_role("list", name="Prototypes", exact=True).locator("button[data-row]").first
    picture.hover()
    page.wait_for_timeout(300)  # the map would show it by now
    assert not page.locator(".pointer:not([hidden])").count()


def test_zoomed_in_the_inputs_take_the_place_of_their_points_and_without_ctrl_the_page_scrolls(
    digits, page, view, points
):
    open_clusters(page, digits)
    row = lonely_row(view, points)
    place, width = place_of(page, row), width_in_view(page)
    page.mouse.move(place["x"], place["y"])
    page.keyboard.down("Control")
    page.evaluate(
        f"""() => {{
            const canvas = document.querySelector("{CHART} .gl-container canvas");
            new MutationObserver(() => {{ window.wasStretched ||= canvas.style.transform.includes("scale(1.1"); }})
                .observe(canvas, {{ attributes: true }});
        }}"""
    )
    page.mouse.wheel(0, -20)  # stretched at once, drawn again when the wheel rests
    page.wait_for_function(
        f"() => window.wasStretched && !document.querySelector('{CHART} .gl-container canvas').style.transform"
    )
    assert width_in_view(page) == pytest.approx(width * np.exp(-0.1))
    while width_in_view(page) > np.ptp(points[:, 0]) / 10:  # a busy browser takes several turns of the wheel as one
        page.mouse.wheel(0, -240)
    page.keyboard.up("Control")
    page.locator(f".map-pictures img[data-row='{row}']").wait_for(timeout=30_000)
    # what is under the pointer stays there; a pixel beside it grows with the zoom
    assert place_of(page, row) == pytest.approx(place, abs=1 + width / width_in_view(page))
    still(page)  # the view may have been sent more than once on the way
    shown = page.locator(".map-pictures img")
    assert 1 <= shown.count() <= MOST_PICTURES
    # asked in the page: a picture is put anew wherever the view is, also between two questions from here
    middle = page.wait_for_function(
        """(row) => { const box = document.querySelector(`.map-pictures img[data-row='${row}']`)?.getBoundingClientRect();
                      return box?.width && { x: box.x + box.width / 2, y: box.y + box.height / 2 }; }""",
        arg=row,
    ).json_value()
    assert middle == pytest.approx(place_of(page, row), abs=2)

    before = page.evaluate(f"document.querySelector('{CHART}')._fullLayout.xaxis.range")
    top = page.locator(CHART).bounding_box()["y"]
    page.mouse.wheel(0, 200)
    page.wait_for_function(f"(top) => document.querySelector('{CHART}').getBoundingClientRect().y < top - 20", arg=top)
    assert page.evaluate(f"document.querySelector('{CHART}')._fullLayout.xaxis.range") == before

    click(page, page.locator(".st-key-map-menu button").first)
    click(page, page.get_by_text("Legend", exact=True))
    page.keyboard.press("Escape")
    group = f"cluster {view.labels[row] + 1}"
    page.locator(f"{CHART} .legendtext", has_text=re.compile(f"^{group}$")).locator("..").locator(
        ".legendtoggle"
    ).click()
    page.locator(f".map-pictures img[data-row='{row}']").wait_for(
        state="detached", timeout=30_000
    )  # hidden with its points
