"""The first steps of a tester, from the import to an estimate; run by test_elsewhere.py as a program. Arguments: a folder."""

import importlib
import json
import os
import pkgutil
import sys
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parents[2]
OF_TENSORFLOW = ("keras_graph", "keras_legacy", "saved_model_graph", "tensorflow_device")
"""Only a model's own process imports these; TensorFlow takes four seconds."""


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def import_all() -> int:
    """Every module of the package; how many."""
    import testimate

    found = [module.name for module in pkgutil.walk_packages(testimate.__path__, "testimate.")]
    wanted = [
        name for name in found if name.rsplit(".", 1)[1] not in OF_TENSORFLOW and ".migrations." not in name + "."
    ]
    for name in wanted:
        if not name.endswith("__main__"):
            importlib.import_module(name)
    return len(wanted)


def features_to_estimate(folder: Path) -> None:
    """``features`` of a network, ``select`` and ``estimate`` by votes."""
    from testimate.cli import main
    from tests.own_files import write_own_files

    own = write_own_files(folder)
    table, plan, votes = folder / "table.parquet", folder / "plan.json", folder / "votes.csv"

    def run(*arguments: object) -> None:
        with suppress(SystemExit):
            main([str(argument) for argument in arguments])

    run("features", own.model, own.dataset, "--auxiliary", "dsa", "--out", table, "--project", folder / "project")
    run("select", table, "--technique", "rrs", "--budget", 20, "--seed", 1, "--out", plan)
    rows = [draw["row"] for draw in json.loads(plan.read_text(encoding="utf-8"))["draws"]]
    votes.write_text("row,label\n" + "".join(f"{row},{own.y[row]}\n" for row in rows), encoding="utf-8")
    run("estimate", plan, votes)


def demo_to_label(folder: Path) -> None:
    """The app: the demo is started with one click, and its first input is answered by a button."""
    from streamlit.testing.v1 import AppTest

    from testimate.project.project import Project

    project = folder / "project"
    os.environ["TESTIMATE_PROJECT"] = str(project)
    os.chdir(ROOT)
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    first = AppTest.from_file(str(ROOT / "pages" / "subject.py"), default_timeout=60).run()
    first.button(key="demo digits").click().run()  # alone, a page cannot go to the next one
    kept = Project(project)
    [record] = kept.sessions()
    label = AppTest.from_file(str(ROOT / "pages" / "label.py"), default_timeout=60)
    label.query_params["subject"], label.query_params["session"] = record.subject, record.id
    label.run().toggle(key="plain buttons").set_value(True).run()
    [seven] = [button for button in label.button if (button.key or "").endswith("class 7")]
    seven.click().run()
    problems = [str(one.value) for page in (app, label) for one in page.exception]
    say(json.dumps({"problems": problems, "answers": list(kept.session(record.id).answers().values())}))


if __name__ == "__main__":
    place = Path(sys.argv[1])
    say(json.dumps({"imported": import_all()}))
    features_to_estimate(place)
    demo_to_label(place)
