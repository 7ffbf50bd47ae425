"""Boxes at the terminal: from what a detector wrote to a plan, from votes to precision and recall."""

import json

import pytest
from PIL import Image


@pytest.fixture
def found(tmp_path):
    """60 pictures of which every third has no box; the others have a ship, and every second of them a buoy, too."""
    folder = tmp_path / "pictures"
    folder.mkdir()
    images, boxes = [], []
    for place in range(60):
        Image.new("RGB", (40, 30), (place, 100, 100)).save(folder / f"{place:03}.png")
        size = {"width": 40, "height": 30} if place % 2 else {}  # of the others the picture itself says it
        images.append({"id": place, "file_name": f"{place:03}.png", **size})
        if place % 3:
            boxes.append({"image_id": place, "category_id": 1, "bbox": [2, 2, 10, 8], "score": 0.6 + place / 200})
        if place % 6 == 1:
            boxes.append({"image_id": place, "category_id": 2, "bbox": [20, 2, 4, 8], "score": 0.4})
    kinds = [{"id": 1, "name": "ship"}, {"id": 2, "name": "buoy"}]
    (tmp_path / "found.json").write_text(json.dumps({"images": images, "categories": kinds, "annotations": boxes}))
    return tmp_path


def test_a_plan_of_pictures_becomes_precision_and_recall_class_by_class(command, found):
    plan_file, votes = found / "plan.json", found / "votes.csv"
    command.ok(
        *("select", found / "found.json", "--task", "boxes", "--inputs", found / "pictures", "--technique", "srs"),
        *("--budget", "48", "--seed", "1", "--out", plan_file),
    )
    plan = json.loads(plan_file.read_text())
    rows = [draw["row"] for draw in plan["draws"]]
    assert plan["task"] == "boxes"
    assert plan["draws"][0]["file"].endswith(".png")
    said = {row: "missed ship 1" if row % 3 == 0 else "wrong 1" if row % 6 == 1 else "all right" for row in rows}
    votes.write_text("row,label\n" + "".join(f"{row},{words}\n" for row, words in said.items()))
    read = json.loads(command.ok("estimate", plan_file, votes, "--json", "-"))
    ships, wrong = sum(row % 3 > 0 for row in rows), sum(row % 6 == 1 for row in rows)
    missed = sum(row % 3 == 0 for row in rows)
    assert read["measure"] == "Pictures right"
    assert read["accuracy"] == pytest.approx((48 - wrong - missed) / 48)
    ship = read["boxes"]["ship"]
    assert ship["precision"]["value"] == pytest.approx((ships - wrong) / ships)
    assert ship["recall"]["value"] == pytest.approx((ships - wrong) / (ships - wrong + missed))
    assert ship["precision"]["low"] < ship["precision"]["value"] < ship["precision"]["high"]
    assert read["boxes"]["buoy"]["recall"]["why"].endswith("labels, 10 needed")
    assert "are right (precision)" in command.ok("estimate", plan_file, votes)


def test_the_boxes_below_the_least_score_are_not_judged_and_the_plan_keeps_it(command, found):
    plan_file = found / "plan.json"
    command.ok(
        *(
            "select",
            found / "found.json",
            "--inputs",
            found / "pictures",
            "--least-score",
            "0.5",
            "--budget",
            "60",
            "--seed",
            "1",
            "--out",
            plan_file,
        )
    )
    (found / "votes.csv").write_text("row,label\n" + "".join(f"{row},all right\n" for row in range(60)))
    read = json.loads(command.ok("estimate", plan_file, found / "votes.csv", "--json", "-"))
    assert read["boxes"]["buoy"]["precision"]["labeled"] == 0
    (found / "votes.csv").write_text("row,label\n1,wrong 2\n")  # its second box is not judged
    assert "box 2 is wrong, and the picture has 1" in command.refusal("estimate", plan_file, found / "votes.csv")


def test_what_does_not_go_with_boxes_is_refused_in_a_sentence(command, found):
    begin = ("select", found / "found.json", "--budget", "10", "--seed", "1", "--out", found / "plan.json")
    assert "The size of picture '002.png' is not known" in command.refusal(*begin)
    begin = (*begin, "--inputs", found / "pictures")
    assert "Boxes are judged here" in command.refusal(*begin, "--tolerance", "3")
    assert "Expected 0 to 1" in command.refusal(*begin, "--least-score", "50")
    (found / "plain.csv").write_text("prediction,confidence\na,0.5\nb,0.6\n")
    plain = ("select", found / "plain.csv", *begin[2:8])
    assert "Expected a detector's boxes" in command.refusal(*plain, "--least-score", "0.5")
    assert "Expected one called 'boxes'" in command.refusal(*plain, "--task", "boxes")


def test_a_plan_of_boxes_goes_out_as_csv_and_comes_back_and_to_tools_of_classes_not_at_all(command, found):
    plan_file, out = found / "plan.json", found / "labels.csv"
    boxes = ("--inputs", found / "pictures")
    command.ok("select", found / "found.json", *boxes, "--budget", "12", "--seed", "1", "--out", plan_file)
    command.ok("plan", "export", plan_file, "--to", "csv", "--out", out)
    lines = out.read_text().splitlines()
    out.write_text("\n".join([lines[0], *(line + "all right" for line in lines[1:])]) + "\n")
    command.ok("plan", "import", out, "--plan", plan_file, "--out", found / "votes.csv")
    assert "12 labels" in command.ok("estimate", plan_file, found / "votes.csv")
    assert "cannot contain which of them are wrong" in command.refusal(
        "plan", "export", plan_file, "--to", "cvat", "--out", found / "cvat"
    )


def test_slices_need_a_table_weak_spots_do_not_and_the_classes_are_in_the_result_anyway(command, found):
    plan_file, votes = found / "plan.json", found / "votes.csv"
    boxes = ("--inputs", found / "pictures", "--technique", "srs")
    command.ok("select", found / "found.json", *boxes, "--budget", "60", "--seed", "1", "--out", plan_file)
    votes.write_text(
        "row,label\n" + "".join(f"{row},{'all right' if row % 4 else 'missed ship 1'}\n" for row in range(60))
    )
    estimate = ("estimate", plan_file, votes)
    assert "is what a detector wrote, which has no columns" in command.refusal(*estimate, "--slice", "weather")
    (found / "weather.csv").write_text("weather\n" + "fog\nsun\n" * 30)
    sliced = command.ok(*estimate, "--slice", "weather", "--table", found / "weather.csv")
    assert "weather = fog, 30 inputs: 50.0% from 30 labels" in sliced
    assert "in the result itself, class by class" in command.refusal(*estimate, "--classes")
    assert "eak spot" in command.ok(*estimate, "--weak-spots")
