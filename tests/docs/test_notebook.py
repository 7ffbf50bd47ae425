"""The notebook of the how-to page runs, cell by cell, in a real Jupyter kernel, and shows what the page says."""

import importlib.util
import os
import re
import warnings

import pytest

from tests.docs.pages import DOCS, ROOT

FILE = DOCS / "how-to" / "notebook.ipynb"


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """What each cell with code shows, as its last output by kind."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what Jupyter warns of is not ours
        import nbformat
        from nbclient import NotebookClient

        folder = tmp_path_factory.mktemp("jupyter")
        here = {name: str(folder) for name in ("IPYTHONDIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "HOME")}
        notebook = nbformat.read(FILE, as_version=4)
        nbformat.validate(notebook)
        client = NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(folder)}})
        client.execute(env={**os.environ, **here, "PYTHONPATH": str(ROOT)})
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in code)
    return [cell.outputs[-1].get("data", {}) if cell.outputs else {} for cell in code]


def test_the_notebook_is_the_page():
    spec = importlib.util.spec_from_file_location("notebook_file", DOCS / "notebook_file.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert FILE.read_text() == module.notebook(module.PAGE.read_text()), "run docs/notebook_file.py"


def test_a_kernel_shows_the_plan_as_a_table_and_the_estimate_with_its_intervals_drawn(outputs):
    _, plan, widget, _, found, some, chart, truth, rows, order = outputs
    assert "application/vnd.jupyter.widget-view+json" in widget
    assert widget["text/plain"].endswith("0 of 150 are labeled.")
    assert plan["text/html"].count("<tr>") == 12
    assert re.match(r"Accuracy \d\d\.\d% from 150 labels \(95% interval", found["text/plain"])
    assert found["text/html"].count("<line") == 2
    assert "stop-safe" in some["text/plain"]
    assert chart["application/vnd.plotly.v1+json"]["data"]
    low, high = (float(end) for end in re.findall(r"(\d\d\.\d) to (\d\d\.\d)%", found["text/plain"])[0])
    assert low < 100 * float(truth["text/plain"]) < high
    assert rows["text/html"].count("<tr>") == 4
    assert "in order of priority" in order["text/plain"]
