"""A plan labeled in another tool: each tool's own format filled in as that tool does, and back to the digit."""

import csv
import io
import json
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from testimate.core.spreadsheet_cells import unquoted

CLASSES = ("ant & bee", "cat", "owl <3")


@pytest.fixture
def table(tmp_path):
    """120 inputs with a file each, and their true classes."""
    rng = np.random.default_rng(4)
    truth = rng.choice(CLASSES, 120)
    said = np.where(rng.random(120) < 0.8, truth, rng.choice(CLASSES, 120))
    with (tmp_path / "t.csv").open("w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(("file", "prediction", "confidence"))
        lines.writerows((f"in/{n:03}.png", one, 0.5 + n / 300) for n, one in enumerate(said))
    return tmp_path / "t.csv", truth


@pytest.fixture
def planned(table, command, tmp_path):
    """The plan of 40 inputs, the true answers of its rows, and the estimate from these."""
    command.ok("select", table[0], "--budget", 40, "--seed", 2, "--out", tmp_path / "p.json")
    rows = [draw["row"] for draw in json.loads((tmp_path / "p.json").read_text())["draws"]]
    truth = {row: str(table[1][row]) for row in rows}
    with (tmp_path / "v.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("row", "label"), *truth.items()])
    return tmp_path / "p.json", truth, command.ok("estimate", tmp_path / "p.json", tmp_path / "v.csv", "--json", "-")


def in_label_studio(file, truth):
    """As its export has them: the tasks with annotations."""
    tasks = json.loads(file.read_text())
    for task in tasks:
        value = {"choices": [truth[task["data"]["row"]]]}
        result = {"from_name": "label", "to_name": "input", "type": "choices", "value": value}
        task["annotations"] = [{"id": 1, "was_cancelled": False, "ground_truth": False, "result": [result]}]
        assert task["data"]["image"] == f"/data/local-files/?d=in/{task['data']['row']:03}.png"
        assert not set(task) & {"predictions"}
    file.write_text(json.dumps(tasks))
    config = ElementTree.parse(file.with_name(file.name + ".xml")).getroot()
    assert [choice.get("value") for choice in config.iter("Choice")] == [*CLASSES, "none of these"]


def in_cvat(file, truth):
    """As "CVAT for images 1.1" has them: a tag inside each image, which has a size there."""
    tree = ElementTree.parse(file)
    for image in tree.getroot().iter("image"):
        row = int(image.get("name")[3:6])
        image.attrib |= {"width": "28", "height": "28"}
        ElementTree.SubElement(image, "tag", {"label": truth[row], "source": "manual"})
    tree.write(file, encoding="utf-8", xml_declaration=True)
    labels = json.loads(file.with_name(file.name + ".labels.json").read_text())
    assert [one["name"] for one in labels] == [*CLASSES, "none of these"]


def in_fiftyone(file, truth):
    """As FiftyOneImageClassificationDataset has them: places among the classes, by the file's name without its ending."""
    record = json.loads(file.read_text())
    places = {stem: record["classes"].index(truth[int(stem[3:])]) for stem in record["labels"]}
    sure = next(iter(places))  # a label with a confidence beside it is a record
    record["labels"] = {**places, sure: {"label": places[sure], "confidence": 0.5}}
    file.write_text(json.dumps(record))


def in_a_spreadsheet(file, truth):
    """With semicolons, as some of them save."""
    with file.open(newline="") as read:
        lines = list(csv.DictReader(read))
    with file.open("w", newline="") as write:
        writer = csv.DictWriter(write, lines[0], delimiter=";")
        writer.writeheader()
        writer.writerows(line | {"label": truth[int(line["row"])]} for line in lines)


def in_lines_of_json(file, truth):
    """Another program's."""
    records = [json.loads(line) for line in file.read_text().splitlines()]
    file.write_text("".join(json.dumps(one | {"label": truth[one["row"]]}) + "\n" for one in records))


FILLED = {
    "label-studio": ("tasks.json", in_label_studio),
    "cvat": ("annotations.xml", in_cvat),
    "fiftyone": ("labels.json", in_fiftyone),
    "csv": ("tasks.csv", in_a_spreadsheet),
    "jsonl": ("tasks.jsonl", in_lines_of_json),
}


@pytest.mark.parametrize("to", FILLED)
def test_a_plan_goes_to_another_tool_and_its_labels_come_back_to_the_digit(to, planned, command, tmp_path):
    plan, truth, expected = planned
    name, fill = FILLED[to]
    assert "40 inputs to label" in command.ok("plan", "export", plan, "--to", to, "--out", tmp_path / name)
    refused = command.refusal("plan", "import", tmp_path / name, "--plan", plan, "--out", tmp_path / "w.csv")
    assert "annotations" in refused if to == "label-studio" else "no label for any input" in refused
    assert not (tmp_path / "w.csv").exists()
    fill(tmp_path / name, truth)
    said = command.ok("plan", "import", tmp_path / name, "--plan", plan, "--out", tmp_path / "w.csv")
    assert ": 40 votes. Next: testimate estimate " in said
    assert command.ok("estimate", plan, tmp_path / "w.csv", "--json", "-") == expected


def test_labels_of_another_plan_two_answers_and_answers_that_are_none_are_named(planned, command, tmp_path):
    plan, truth, _ = planned
    file, other = tmp_path / "l.json", tmp_path / "q.json"
    command.ok("select", tmp_path / "t.csv", "--budget", 40, "--seed", 3, "--out", other)
    command.ok("plan", "export", other, "--to", "label-studio", "--out", file)
    in_label_studio(file, dict.fromkeys(range(120), "cat"))
    asked = ("plan", "import", file, "--plan", plan, "--out", tmp_path / "w.csv")
    assert "40 labels of inputs that this plan did not draw" in command.refusal(*asked)
    command.ok("plan", "export", plan, "--to", "label-studio", "--out", file)
    in_label_studio(file, truth)
    tasks = json.loads(file.read_text())
    another = json.loads(json.dumps(tasks[0]["annotations"][0]))
    another["result"][0]["value"]["choices"] = ["cat" if truth[tasks[0]["data"]["row"]] != "cat" else CLASSES[0]]
    tasks[0]["annotations"].append(another)
    file.write_text(json.dumps(tasks))
    assert f"1 input with two different answers: '{tasks[0]['data']['key']}'" in command.refusal(*asked)
    another["ground_truth"] = True  # a reviewer's word settles it
    file.write_text(json.dumps(tasks))
    command.ok(*asked)
    another["result"][0]["value"]["choices"] = ["dog"]
    file.write_text(json.dumps(tasks))
    assert "is labeled 'dog'. Expected one of" in command.refusal(*asked, "--strict")
    another["was_cancelled"] = True  # skipped there: cannot tell
    file.write_text(json.dumps(tasks[:30]))
    assert "30 votes" in (said := command.ok(*asked))
    assert "10 inputs without a label yet" in said


def test_pictures_go_along_under_their_keys_since_their_own_names_may_say_the_class(planned, command, tmp_path):
    plan, truth, expected = planned
    folder, there = tmp_path / "in", tmp_path / "cvat" / "annotations.xml"
    folder.mkdir()
    for row in range(120):
        (folder / f"{row:03}.png").write_bytes(f"picture {row}".encode())
    there.parent.mkdir()
    asked = ("plan", "export", plan, "--to", "cvat", "--out", there, "--inputs", folder)
    missing = folder / f"{next(iter(truth)):03}.png"
    missing.rename(tmp_path / "away.png")
    assert f"Row {next(iter(truth))}, 'in/{missing.name}': There is no such file" in command.refusal(*asked)
    assert not list(there.parent.iterdir())
    (tmp_path / "away.png").rename(missing)
    assert f"with {there}.labels.json and {there.parent / 'data'}" in command.ok(*asked)
    names = {image.get("name") for image in ElementTree.parse(there).getroot().iter("image")}
    assert names == {file.name for file in there.parent.joinpath("data").iterdir()}
    by_row = {int(name.rpartition("-")[2].removesuffix(".png")): name for name in names}
    assert set(by_row) == set(truth)
    for row, name in by_row.items():
        assert (there.parent / "data" / name).read_text() == f"picture {row}"
    tree = ElementTree.parse(there)
    for image in tree.getroot().iter("image"):
        row = int(image.get("name").rpartition("-")[2].removesuffix(".png"))
        ElementTree.SubElement(image, "tag", {"label": truth[row]})
    tree.write(there, encoding="utf-8")
    command.ok("plan", "import", there, "--plan", plan, "--out", tmp_path / "w.csv")
    assert command.ok("estimate", plan, tmp_path / "w.csv", "--json", "-") == expected
    assert "'data' is not empty" in command.refusal(*asked).replace(str(there.parent) + "/", "")
    command.ok("plan", "export", plan, "--to", "label-studio", "--out", tmp_path / "l.json", "--inputs", folder)
    shown = {task["data"]["row"]: task["data"]["image"] for task in json.loads((tmp_path / "l.json").read_text())}
    assert shown == {row: f"/data/local-files/?d=data/{name}" for row, name in by_row.items()}


def test_pictures_inside_a_table_go_along_without_being_asked_for(command, tmp_path):
    png = io.BytesIO()
    Image.new("RGB", (8, 6), (200, 0, 0)).save(png, "PNG")
    cells = pa.array([{"bytes": png.getvalue(), "path": None}] * 30)
    pq.write_table(pa.table({"image": cells, "prediction": ["cat", "dog"] * 15}), tmp_path / "t.parquet")
    command.ok(
        "select", tmp_path / "t.parquet", "--technique", "srs", "--budget", 5, "--seed", 1, "--out", tmp_path / "p.json"
    )
    there = tmp_path / "f" / "labels.json"
    there.parent.mkdir()
    command.ok("plan", "export", tmp_path / "p.json", "--to", "fiftyone", "--out", there)
    record = json.loads(there.read_text())
    files = {file.stem: file for file in there.parent.joinpath("data").iterdir()}
    assert set(files) == set(record["labels"])
    for file in files.values():
        with Image.open(file) as picture:
            assert picture.size == (8, 6)
    record["labels"] = dict.fromkeys(record["labels"], record["classes"].index("dog"))
    there.write_text(json.dumps(record))
    assert "5 votes" in command.ok("plan", "import", there, "--plan", tmp_path / "p.json", "--out", tmp_path / "v.csv")


def test_the_networks_answers_go_to_label_studio_alone_and_only_when_asked_for(planned, command, tmp_path):
    plan, file = planned[0], tmp_path / "l.json"
    asked = ("plan", "export", plan, "--out", file, "--predictions")
    assert "only label-studio has a field for predictions" in command.refusal(*asked, "--to", "csv")
    command.ok(*asked, "--to", "label-studio")
    with (tmp_path / "t.csv").open(newline="") as table:
        said = list(csv.DictReader(table))
    for task in json.loads(file.read_text()):
        (guess,), line = task["predictions"], said[task["data"]["row"]]
        assert guess["result"][0]["value"] == {"choices": [line["prediction"]]}
        assert guess["score"] == pytest.approx(float(line["confidence"]))
        assert guess["model_version"] == "t.csv"  # not where it lies on this computer


def test_a_text_with_unicode_line_breaks_comes_back_in_json_lines(command, tmp_path):
    (tmp_path / "t.csv").write_text(
        "text,prediction\n" + "".join(f"one\u2028{n}\x85,{('no', 'yes')[n % 2]}\n" for n in range(30))
    )
    plan, file, votes = tmp_path / "p.json", tmp_path / "l.jsonl", tmp_path / "w.csv"
    command.ok("select", tmp_path / "t.csv", "--technique", "srs", "--budget", 20, "--seed", 1, "--out", plan)
    command.ok("plan", "export", plan, "--to", "jsonl", "--out", file)
    file.write_text(file.read_text().replace('"label": null', '"label": "yes"'))
    command.ok("plan", "import", file, "--plan", plan, "--out", votes)
    assert len(votes.read_text().splitlines()) == 21


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.json", "{", "is not JSON"),
        (
            "a.json",
            '[{"id": 1, "data": {"image": "x"}}]',
            "Task 0 of the export cannot be read: annotations is missing",
        ),
        ("a.json", '[{"data": {"image": "x"}, "annotations": [{}]}]', "Task 0 of the export lacks 'key'"),
        ("a.json", '[{"data": {}, "annotations": [{"result": 3}]}]', "expected a list"),
        ("a.json", '{"labels": 3}', "lacks"),
        ("a.xml", '<!DOCTYPE a [<!ENTITY b "c">]><annotations/>', "declares entities"),
        ("a.xml", "<annotations>", "is not XML"),
        ("a.csv", "row,label\n1,cat\n", "has the columns row, label. Expected key and label"),
        ("a.jsonl", '{"row": 1}\n', "Line 1 has no key and label"),
        ("a.jsonl", '{"row": 1\n', "Line 1 of 'the labels' is not complete JSON"),
        ("a.txt", "cat", "ends in .txt. Expected .json, .xml, .csv or .jsonl"),
    ],
)
def test_a_file_that_is_no_export_is_a_sentence(name, content, sentence, planned, command, tmp_path):
    (tmp_path / name).write_text(content)
    said = command.refusal("plan", "import", tmp_path / name, "--plan", planned[0], "--out", tmp_path / "w.csv")
    assert sentence in said


def test_numbers_and_texts_go_to_label_studio_and_formats_of_files_say_what_they_lack(command, tmp_path):
    (tmp_path / "t.csv").write_text("text,prediction\n" + "".join(f"House {n},{n + 0.5}\n" for n in range(60)))
    table, plan, file = tmp_path / "t.csv", tmp_path / "p.json", tmp_path / "l.json"
    command.ok("select", table, "--technique", "srs", "--tolerance", 1, "--budget", 20, "--seed", 1, "--out", plan)
    command.ok("plan", "export", plan, "--to", "label-studio", "--out", file)
    tasks = json.loads(file.read_text())
    for task in tasks:
        row = task["data"]["row"]
        assert task["data"]["text"] == f"House {row}"
        task["annotations"] = [{"result": [{"type": "number", "value": {"number": row + (0.6 if row % 2 else 9.5)}}]}]
    file.write_text(json.dumps(tasks))
    command.ok("plan", "import", file, "--plan", plan, "--out", tmp_path / "v.csv")
    odd = np.mean([task["data"]["row"] % 2 for task in tasks])
    assert json.loads(command.ok("estimate", plan, tmp_path / "v.csv", "--json", "-"))["accuracy"] == pytest.approx(odd)
    assert "<Number name" in file.with_name("l.json.xml").read_text()
    assert "contains classes alone" in command.refusal(
        "plan", "export", plan, "--to", "cvat", "--out", tmp_path / "c.xml"
    )
    command.ok("plan", "export", plan, "--to", "label-studio", "--out", file, "--predictions")
    guess = json.loads(file.read_text())[0]
    assert guess["predictions"][0]["result"][0]["value"] == {"number": guess["data"]["row"] + 0.5}


@pytest.mark.parametrize("to", ["csv", "jsonl", "label-studio"])
def test_classes_called_like_marks_come_back_from_every_export(to, command, tmp_path):
    classes = ("-", "none", "null", "?", "ant")
    said = np.resize(classes, 60)
    (tmp_path / "t.csv").write_text("prediction\n" + "\n".join(said) + "\n")
    command.ok("select", tmp_path / "t.csv", "--budget", 60, "--seed", 2, "--out", tmp_path / "p.json")
    out, votes = tmp_path / f"l.{'json' if to == 'label-studio' else to}", tmp_path / "v.csv"
    command.ok("plan", "export", tmp_path / "p.json", "--to", to, "--out", out)
    if to == "csv":
        header, *lines = csv.reader(io.StringIO(out.read_text()))
        rows = [[*line[:-1], said[int(line[1])]] for line in lines]
        with out.open("w", newline="") as file:
            csv.writer(file).writerows([header, *rows])
    elif to == "jsonl":
        records = [json.loads(line) for line in out.read_text().splitlines()]
        out.write_text("".join(json.dumps({**one, "label": said[one["row"]]}) + "\n" for one in records))
    else:
        tasks = json.loads(out.read_text())
        for task in tasks:
            value = {"choices": [said[task["data"]["row"]]]}
            task["annotations"] = [{"result": [{"type": "choices", "value": value}]}]
        out.write_text(json.dumps(tasks))
    command.ok("plan", "import", out, "--plan", tmp_path / "p.json", "--out", votes)
    with votes.open(newline="") as file:
        assert {int(line["row"]): unquoted(line["label"]) for line in csv.DictReader(file)} == dict(enumerate(said))
    assert json.loads(command.ok("estimate", tmp_path / "p.json", votes, "--json", "-"))["accuracy"] == 1.0


def labeled_there(name, classes, outside="none of these"):
    """An annotation as Label Studio's interface makes it: a class, or that it is none of them with the name that was typed."""
    chosen = {"choices": [name if name in classes else outside]}
    result = [{"from_name": "label", "to_name": "input", "type": "choices", "value": chosen}]
    if name not in (*classes, outside):
        result.append({"from_name": "name", "to_name": "input", "type": "textarea", "value": {"text": [name]}})
    return {"id": 1, "was_cancelled": False, "ground_truth": False, "result": result}


UNKNOWN = ("fox", "none of these", "elk & co")


def unknown_in_label_studio(file, truth):
    tasks = json.loads(file.read_text())
    for task in tasks:
        task["annotations"] = [labeled_there(truth[task["data"]["row"]], CLASSES)]
    file.write_text(json.dumps(tasks))
    config = ElementTree.parse(file.with_name(file.name + ".xml")).getroot()
    assert [choice.get("value") for choice in config.iter("Choice")] == [*CLASSES, "none of these"]
    assert next(config.iter("TextArea")).get("whenChoiceValue") == "none of these"


def unknown_in_cvat(file, truth):
    tree = ElementTree.parse(file)
    labels = json.loads(file.with_name(file.name + ".labels.json").read_text())
    assert [one["name"] for one in labels] == [*CLASSES, "none of these"]
    assert [one["name"] for one in labels[-1]["attributes"]] == ["name"]
    for image in tree.getroot().iter("image"):
        name = truth[int(image.get("name")[3:6])]
        tag = ElementTree.SubElement(image, "tag", {"label": name if name in CLASSES else "none of these"})
        if name not in CLASSES:
            attribute = ElementTree.SubElement(tag, "attribute", {"name": "name"})
            attribute.text = "" if name == "none of these" else name
    tree.write(file, encoding="utf-8", xml_declaration=True)


def unknown_in_fiftyone(file, truth):
    record = json.loads(file.read_text())
    assert record["classes"] == [*CLASSES, "none of these"]
    record["classes"] += [name for name in UNKNOWN if name not in record["classes"]]
    record["labels"] = {stem: record["classes"].index(truth[int(stem[3:])]) for stem in record["labels"]}
    file.write_text(json.dumps(record))


UNKNOWN_FILLED = {
    "label-studio": ("tasks.json", unknown_in_label_studio),
    "cvat": ("annotations.xml", unknown_in_cvat),
    "fiftyone": ("labels.json", unknown_in_fiftyone),
    "csv": ("tasks.csv", in_a_spreadsheet),
    "jsonl": ("tasks.jsonl", in_lines_of_json),
}


@pytest.mark.parametrize("to", UNKNOWN_FILLED)
def test_none_of_these_goes_to_each_tool_and_comes_back_with_its_names(to, planned, command, tmp_path):
    plan, truth, _ = planned
    said = {row: UNKNOWN[place % 3] if place % 4 == 0 else name for place, (row, name) in enumerate(truth.items())}
    with (tmp_path / "v.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("row", "label"), *said.items()])
    expected = command.ok("estimate", plan, tmp_path / "v.csv", "--json", "-")
    name, fill = UNKNOWN_FILLED[to]
    command.ok("plan", "export", plan, "--to", to, "--out", tmp_path / name)
    fill(tmp_path / name, said)
    asked = ("plan", "import", tmp_path / name, "--plan", plan, "--out", tmp_path / "w.csv")
    strictly = command(*asked, "--strict")
    assert strictly.status == 2
    assert "is labeled 'fox'. Expected one of" in strictly.err
    told = command(*asked)
    assert "10 of 40 labels are no class of this network and count as wrong: fox 4" in told.err
    with (tmp_path / "w.csv").open(newline="") as file:
        assert {int(line["row"]): line["label"] for line in csv.DictReader(file)} == said
    assert command.ok("estimate", plan, tmp_path / "w.csv", "--json", "-") == expected
