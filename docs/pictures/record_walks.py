"""Records walks as moving pictures: a team with its lead's desk, a dispute and the report; a race; a map that settles.

Run from the checkout: make pictures. Look at them before you keep them.
"""

import re
import shutil
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont
from playwright.sync_api import Browser, Page, sync_playwright
from take_pictures import FLAGS, PATIENCE, SMALL, frame, play, served, visitor

from testimate.charts.palette import hue, shades
from testimate.core.selector import Request
from testimate.core.session_record import Role, SessionRecord
from testimate.project.project import Project
from testimate.structure.maps import neighbor_map, planar_map
from tests.browser.app_steps import go

TEAM: dict[str, Role] = {"Ann": "tester", "Bob": "tester", "Lea": "lead"}
PASSWORD = "long enough"
LABELS, HALF_WIDTH, DISPUTED = 10, 0.4, 3
"""A session so short that one round is enough to stop; Bob misreads the fourth input."""

BAR = 36
GLANCE, READ, LONG = 700, 1_600, 4_000  # milliseconds that a frame stays
RACE_FRAMES, RACE_STEP = 40, 450
MAP_SIZE, MAP_STEP = 480, 180
"""Of the map that settles: pixels, and milliseconds between two frames."""


class Film:
    """Frames with a line on each that says whose screen it is and what happens."""

    def __init__(self) -> None:
        self.frames: list[tuple[Image.Image, int]] = []

    def take(self, page: Page, words: str, stays: int = READ) -> None:
        """A frame of the page as it is, once its charts are drawn."""
        page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for(timeout=PATIENCE)
        page.wait_for_timeout(1_200)
        self.add(page, words, stays)

    def add(self, page: Page, words: str, stays: int) -> None:
        """A frame of the page at once."""
        picture = Image.new("RGB", (SMALL[0], SMALL[1] + BAR), "#0B3D5C")
        picture.paste(frame(page), (0, BAR))
        ImageDraw.Draw(picture).text((14, 8), words, fill="white", font=ImageFont.load_default(18))
        self.frames.append((picture, stays))


def team_walk(chromium: Browser) -> None:
    """Two testers label blind, dispute an input, a lead settles it, all may stop, the report opens."""
    film = Film()
    with tempfile.TemporaryDirectory() as name:
        project = Project(Path(name))
        for who, role in TEAM.items():
            project.testers.add(who, PASSWORD, role)
        session = project.start_session("digits", Request("rrs", LABELS, 1), votes_per_input=2, half_width=HALF_WIDTH)
        truth, disputed = session.inputs.truth, session.draws[DISPUTED].row
        assert truth is not None
        with served(Path(name), TESTIMATE_TEAM="yes") as address:
            pages = {who: visitor(chromium, "dark" if who == "Bob" else "light") for who in TEAM}
            log_in(pages["Lea"], address, session.session_record, "Lea")
            instruct(film, pages["Lea"])
            for who in ("Ann", "Bob"):
                log_in(pages[who], address, session.session_record, who)
            for place in range(LABELS):
                for who in ("Ann", "Bob"):
                    page = pages[who]
                    page.locator(".surface:not([data-row=''])").wait_for(timeout=PATIENCE)
                    page.wait_for_timeout(500)
                    row = int(page.locator(".surface").get_attribute("data-row") or 0)
                    said = (int(truth[row]) + (row == disputed and who == "Bob")) % 10
                    if place < 2 or row == disputed:
                        film.take(page, f"{who} labels, blind to the others: input {place + 1} of {LABELS}", GLANCE)
                    page.keyboard.press(str(said))
                    page.locator(f".surface:not([data-row='{row}'])").wait_for(timeout=PATIENCE)
            film.take(pages["Ann"], "Ann is through; she sees how far the team is, and no answer of Bob's")
            pages["Lea"].reload()
            pages["Lea"].get_by_text("1 dispute").first.wait_for(timeout=PATIENCE)
            film.take(
                pages["Lea"], "Lea's desk: each tester's answers, pace and agreement; on top, a dispute waits", LONG
            )
            settle(film, pages["Lea"], str(truth[disputed]))
            go(pages["Lea"], "Label")
            pages["Lea"].get_by_text(re.compile("You can stop|Done: ±")).first.wait_for(timeout=PATIENCE)
            film.take(pages["Lea"], "Lea: the plan is complete, and the interval is as narrow as was asked", LONG)
            go(pages["Lea"], "Results")
            with pages["Lea"].expect_download(timeout=PATIENCE) as coming:
                pages["Lea"].get_by_role("button", name="Report (HTML)").click()
            report = visitor(chromium, "light")
            coming.value.save_as(Path(name) / "report.html")
            report.goto((Path(name) / "report.html").as_uri())
            film.add(report, "The report stands alone", LONG)
            report.get_by_role("heading", name="How this was measured").evaluate("one => one.scrollIntoView()")
            film.add(report, "Everything needed to check it again", LONG)
            report.get_by_text("Full tables", exact=True).click()
            report.get_by_role("heading", name="Testers").evaluate("one => one.scrollIntoView()")
            film.add(report, "In the full tables: who labeled what, and how far they agree", LONG)
    play(film.frames, "team")


def log_in(page: Page, address: str, record: SessionRecord, who: str) -> None:
    """To the session's Label page, through the login."""
    page.goto(f"{address}/label?subject=digits&session={record.id}")
    page.get_by_label("Name", exact=True).fill(who, timeout=PATIENCE)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("button", name="Log in").wait_for(state="hidden", timeout=PATIENCE)


def instruct(film: Film, page: Page) -> None:
    """A lead writes at her desk what the testers read beside the inputs."""
    go(page, "People")
    page.get_by_role("button", name="Message and instructions").click()
    page.get_by_role("textbox", name="Instructions").fill("A 7 with a bar is a 7. In doubt: can't tell.")
    film.take(page, "Lea, the lead, writes what counts as what")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saved.").wait_for(timeout=PATIENCE)


def settle(film: Film, page: Page, truth: str) -> None:
    """A lead gives the word on the input in dispute."""
    go(page, "Disputes")
    page.get_by_text("Bob: ").first.wait_for(timeout=PATIENCE)
    film.take(page, "Lea, the lead, sees the dispute and who said what", LONG)
    box = page.get_by_role("combobox").last
    box.click()
    box.fill(truth)
    page.get_by_role("option", name=truth, exact=True).click()
    page.get_by_role("button", name="This is the answer").click()
    page.get_by_text("No disputes").wait_for(timeout=PATIENCE)
    film.take(page, "Settled: it counts in the estimate from now on")


def race(chromium: Browser) -> None:
    """PACE beside rrs on the letters: one mean moves with the clusters, the other's interval shrinks around the truth."""
    film = Film()
    with tempfile.TemporaryDirectory() as name, served(Path(name)) as address:
        Project(Path(name)).inputs("glyphs")
        page = visitor(chromium, "light")
        page.goto(f"{address}/study?subject=glyphs&view=Race&truth=on")
        page.get_by_text("0 of 200 labels").wait_for(timeout=PATIENCE)
        film.take(page, "The race: the known truth labels, PACE beside round-robin stratification")
        page.get_by_role("button", name="Go", exact=True).click()
        for _ in range(RACE_FRAMES):
            page.wait_for_timeout(900)
            film.add(page, "Five labels a second; dashed: the truth", RACE_STEP)
        page.get_by_text("200 of 200 labels").wait_for(timeout=PATIENCE)
        film.take(
            page, "PACE's mean says nothing certain of the set; the interval of rrs has closed on the truth", LONG
        )
    play(film.frames, "race")


def map_settles() -> None:
    """The map of the letters from PCA's places to those beside their neighbors: every tenth round, as the page sees them."""
    with tempfile.TemporaryDirectory() as name:
        project = Project(Path(name))
        inputs, labels = project.inputs("glyphs"), project.clusters("glyphs").labels
    features = inputs.feature("LHL")
    seen = [planar_map(features, seed=0).points]
    found = neighbor_map(features, seed=0, moved=seen.append)
    frames = [
        (drawn_map(points, labels, words), MAP_STEP) for points, words in zip(seen, map_words(len(seen)), strict=True)
    ]
    words = f"Settled: {found.kept or 0:.0%} of the 15 nearest neighbors kept"
    play([(frames[0][0], READ), *frames[1:], (drawn_map(found.points, labels, words), LONG)], "map")


def map_words(count: int) -> list[str]:
    """What is said about each of the frames."""
    return ["PCA's map: groups lie on top of each other", *["Inputs move beside their neighbors"] * (count - 1)]


def drawn_map(points: NDArray[np.float64], labels: NDArray[np.intp], words: str) -> Image.Image:
    """The points in the colors of their clusters, the minority space underneath."""
    picture = Image.new("RGB", (MAP_SIZE, MAP_SIZE + BAR), "white")
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, 0, MAP_SIZE, BAR), fill="#0B3D5C")
    draw.text((14, 8), words, fill="white", font=ImageFont.load_default(18))
    low, extent = points.min(axis=0), np.ptp(points, axis=0)
    places = (points - low) / np.where(extent > 0, extent, 1) * (MAP_SIZE - 24) + 12
    for row in np.argsort(labels, kind="stable").tolist():
        x, y = float(places[row, 0]), float(BAR + MAP_SIZE - places[row, 1])
        color = shades(False).noise if labels[row] < 0 else hue(int(labels[row]), dark=False)
        draw.ellipse((x - 1.4, y - 1.4, x + 1.4, y + 1.4), fill=color)
    return picture


def main() -> None:
    """All walks."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        team_walk(chromium)
        race(chromium)
        chromium.close()
    map_settles()


if __name__ == "__main__":
    main()
