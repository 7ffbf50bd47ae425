"""Plug-ins of other packages: found by entry points, held to the contract, left out where they are broken."""

import json
import subprocess
import sys
import tomllib
import warnings
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest

from testimate.core.draw import Draw
from testimate.core.errors import BadInput
from testimate.core.plug_ins import plug_ins
from testimate.core.selector import Claims, check_statements
from testimate.datasets.open import dataset_readers, open_dataset_file
from testimate.models.description import ModelDescription
from testimate.models.kinds import model_readers
from testimate.models.open import open_model_file
from testimate.selectors import SELECTORS
from testimate.testing import check_claims, check_selector
from tests.docs.pages import DOCS, blocks
from tests.each import each


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """The folder of the page's package, laid out as pip would leave it."""
    folder = tmp_path_factory.mktemp("plug-in")
    for block in blocks(DOCS / "how-to" / "plug-in.md"):
        if block.title:
            file = folder / block.title.removeprefix("more-kinds/")
            file.parent.mkdir(exist_ok=True)
            file.write_text(block.text)
    add_metadata(folder, tomllib.loads((folder / "pyproject.toml").read_text())["project"])
    return folder


def add_metadata(folder, project):
    """The dist-info that an installer makes of a project's name and entry points."""
    info = folder / f"{project['name'].replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: 1.0\n")
    sections = [
        "\n".join([f"[{group}]", *(f"{name} = {place}" for name, place in points.items())])
        for group, points in project["entry-points"].items()
    ]
    (info / "entry_points.txt").write_text("\n".join(sections) + "\n")


@pytest.fixture
def installed(package, monkeypatch):
    """The package on the path, and what is known of plug-ins forgotten before and after."""
    monkeypatch.syspath_prepend(str(package))
    dataset_readers.cache_clear()
    model_readers.cache_clear()
    yield package
    dataset_readers.cache_clear()
    model_readers.cache_clear()


def test_the_pages_package_passes_its_own_tests(installed, tmp_path):
    tests = import_module("test_more_kinds")
    tests.test_the_technique_keeps_the_contract_and_its_claims()
    tests.test_the_reader_of_datasets_keeps_the_contract(tmp_path)
    tests.test_the_reader_of_models_keeps_the_contract()


def test_the_terminal_lists_and_uses_a_technique_of_another_package(package, tmp_path):
    (tmp_path / "t.csv").write_text("prediction,confidence\n" + "".join(f"c{n % 2},{n / 100}\n" for n in range(99)))
    code = (
        "import sys, contextlib\n"
        "from testimate.cli import main\n"
        "with contextlib.suppress(SystemExit): main(['techniques'])\n"
        "main(['select', 't.csv', '--technique', 'surest-first', '--budget', '5', '--seed', '1', '--out', 'p.json'])\n"
    )
    environment = {"PYTHONPATH": f"{package}:{DOCS.parent}", "COLUMNS": "200", "PATH": ""}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert "surest-first  The surest first" in done.stdout
    drawn = [draw["row"] for draw in json.loads((tmp_path / "p.json").read_text())["draws"]]
    assert drawn == [98, 97, 96, 95, 94]


def test_a_dataset_and_a_model_of_other_kinds_open_the_model_in_its_own_process(installed, tmp_path):
    rng = np.random.default_rng(0)
    weights, bias, x = rng.normal(size=(4, 3)), rng.normal(size=3), rng.normal(size=(40, 4)).round(4)
    (tmp_path / "model.json").write_text(json.dumps({"linear": {"weights": weights.tolist(), "bias": bias.tolist()}}))
    lines = [f"{row % 3} " + " ".join(f"{n}:{v}" for n, v in enumerate(numbers, 1)) for row, numbers in enumerate(x)]
    (tmp_path / "rows.txt").write_text("\n".join(lines) + "\n")
    opened = open_dataset_file(tmp_path / "rows.txt")
    assert opened.dataset.batch(np.arange(40)) == pytest.approx(x, abs=1e-6)
    assert opened.truth.tolist() == [row % 3 for row in range(40)]
    model = open_model_file(ModelDescription(tmp_path / "model.json"), device="cpu")
    assert model.kind == "linear-json"
    logits = x @ weights + bias
    expected = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    said = model.model.run(x.astype(np.float32), [model.model.roles["CON"]])
    assert next(iter(said.values())) == pytest.approx(expected, abs=1e-5)
    (tmp_path / "cut.json").write_text('{"linear": {"weights": [[1')
    with pytest.raises(BadInput, match="linear model is damaged"):
        open_model_file(ModelDescription(tmp_path / "cut.json"), device="cpu")


def test_a_broken_package_is_left_out_with_a_warning_that_names_it(tmp_path, monkeypatch):
    (tmp_path / "broken_kinds.py").write_text("class NoTechnique:\n    name = 'nothing'\nLATER = 1 / 0\n")
    (tmp_path / "half_kinds.py").write_text("class Half:\n    name, title, source = 'half', 'Half', ''\n")
    points = {"nothing": "broken_kinds:NoTechnique", "half": "half_kinds:Half", "srs": "half_kinds:Half"}
    add_metadata(tmp_path, {"name": "broken-kinds", "entry-points": {"testimate.selectors": points}})
    monkeypatch.syspath_prepend(str(tmp_path))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert plug_ins("testimate.selectors", check_statements, taken=SELECTORS.own) == {}
    messages = [str(one.message) for one in said]
    assert [one[: one.index(" (")] for one in messages] == [
        "'half' of broken-kinds",
        "'nothing' of broken-kinds",
        "'srs' of broken-kinds",
    ]
    assert "division by zero" in messages[1]
    assert "source is ''. Expected text" in messages[0]
    assert "the name 'srs' is taken" in messages[2]


SRS = SELECTORS["srs"]


class Forgets(SRS):
    """Draws with a seed of its own."""

    def __init__(self, size, *, seed, **settings):
        assert seed is not None
        super().__init__(size, seed=np.random.default_rng().integers(2**31), **settings)


class CountsQuestions(SRS):
    """What it draws depends on how many are asked at a time."""

    def ask(self, count):
        drawn = list(super().ask(count))
        return drawn[::-1]


class TakesAnything(SRS):
    """Any budget will do."""

    def __init__(self, size, *, budget, **settings):
        super().__init__(size, budget=min(max(int(budget), 1), size), **settings)


class DrawsStrangers(SRS):
    """Rows that are not there."""

    def ask(self, count):
        return [replace(draw, row=draw.row + 1000) if draw.row == 7 else draw for draw in super().ask(count)]


class SaysNothing(SRS):
    """No reasons."""

    def ask(self, count):
        return [Draw(draw.row, draw.probability, draw.stratum) for draw in super().ask(count)]


@each(
    ("technique", "broken"),
    [
        (Forgets, "give different draws the second time"),
        (CountsQuestions, "Asked for 1 at a time, the draws differ"),
        (TakesAnything, "A budget of 0 is not refused"),
        (DrawsStrangers, "A row that does not exist is drawn"),
        (SaysNothing, "A draw gives no reason"),
    ],
)
def test_a_technique_that_breaks_a_promise_is_told_which(technique, broken):
    with pytest.raises(AssertionError, match=broken):
        check_selector(technique)


class OnlyTheSure(SRS):
    """Claims a sample of all and leaves out the inputs most likely to fail."""

    needs = ("scores",)
    claims = Claims("every prefix", honest_interval=True)

    def __init__(self, scores, *, seed, **settings):
        half = np.argsort(scores)[: len(scores) // 2]
        self._sure = iter(np.random.default_rng(seed).permutation(half).tolist())
        super().__init__(len(scores), seed=seed, **settings)

    def ask(self, count):
        return [replace(draw, row=next(self._sure)) for draw in super().ask(count)]


def test_a_claim_that_does_not_hold_is_told_with_its_number():
    check_claims(SRS, campaigns=60)
    with pytest.raises(AssertionError, match=r"claims no bias, and the mean of 60 estimates is off by \d+\.\d+ points"):
        check_claims(OnlyTheSure, campaigns=60)
