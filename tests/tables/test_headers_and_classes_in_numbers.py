"""Headers that stand behind a mark or are none, and classes that another column numbers, names again or lists as tags."""

import io
import json
import sqlite3

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pytest

from testimate.core.errors import ReadingUnclear
from testimate.subjects.prediction_table import read_table
from testimate.subjects.table_choices import TableChoices
from testimate.tables.rules import LONE

ROWS = range(60)
GENES = ("LDLR", "PTEN", "BRCA1")


def variants(header="#CHROM\tgene\tscore\tpredicted_class\tfound"):
    """A table of gene variants: comments, the header as the last of them, and what was found in half of the rows."""
    lines = [
        f"{1 + row % 22}\t{GENES[row % 3]}\t{0.55 + row % 40 / 100:.2f}\t{('benign', 'pathogenic')[row % 2]}\t"
        f"{'.' if row % 3 == 2 else ('benign', 'pathogenic')[(row + (row % 10 == 0)) % 2]}"
        for row in ROWS
    ]
    return "\n".join(["##made by a program", "##of genome 38", header, *lines]).encode() + b"\n"


def test_the_last_comment_is_the_header_where_it_has_a_name_for_each_cell():
    subject = read_table(variants(), name="a.tsv")
    assert (len(subject.dataset), subject.reading.with_role("prediction")) == (60, ("predicted_class",))
    assert subject.reading.left_out["found"].startswith("agrees with the predictions")
    assert "Line 3 is the header. What stands above is left out." in subject.reading.doubtful
    said = read_table(variants(), name="a.tsv", choices=TableChoices(columns=(("label", "found"),)))
    assert said.reading.roles["label" if "label" in said.reading.roles else "found"].meaning == "known in 40 of 60 rows"


def test_a_comment_above_a_header_stays_a_comment_and_older_rules_read_as_they_did():
    plain = (
        b"# by A\tin B\n"
        + b"id\tprediction\n"
        + b"".join(b"r%d\t%s\n" % (row, (b"cat", b"dog")[row % 2]) for row in ROWS)
    )
    assert len(read_table(plain, name="a.tsv", choices=TableChoices(columns=(("prediction", "in B"),))).dataset) == 61
    older = read_table(
        variants(), name="a.tsv", choices=TableChoices(rules=LONE, columns=(("prediction", "column 4"),))
    )
    assert len(older.dataset) == 60


def test_quotation_marks_between_tabs_are_letters_where_each_line_has_all_its_cells():
    texts = [f"nothing of note in letter {row}" for row in ROWS]
    texts[::7] = [f'He wrote{" to us" * (row % 4)}: "Now of the new ones' for row in ROWS[::7]]
    texts[20], texts[21] = '"Since then', 'nothing" is known'
    lines = "".join(f"pages/{row}.png\t{text}\n" for row, text in zip(ROWS, texts, strict=True))
    subject = read_table(lines.encode(), name="lines.tsv")
    assert len(subject.dataset) == len(ROWS)
    assert subject.reading.with_role("output") == ("column 2",)
    assert any("is read as the output, because a file" in doubt for doubt in subject.reading.doubtful)
    assert texts[21] in subject.dataset.text("column 2", 21)
    halves = "name\tprediction\n" + "".join(f'"{row} one\ntwo"\t{"ab"[row % 2]}\n' for row in ROWS)
    assert len(read_table(halves.encode(), name="a.tsv").dataset) == len(ROWS)  # a line break within marks is none


TAGS = ("python", "pandas", "sql", "c++", "docker")


def test_tags_in_angle_brackets_are_sets():
    sets = [[TAGS[row % 5], *([TAGS[(row + 2) % 5]] if row % 3 else [])] for row in ROWS]
    written = ["".join(f"<{tag}>" for tag in some) for some in sets]
    true = ["".join(f"<{tag}>" for tag in some[: 1 + (row % 4 > 0)]) for row, some in enumerate(sets)]
    rows = "".join(f"{said},{known}\n" for said, known in zip(written, true, strict=True))
    subject = read_table(f"PredictedTags,Tags\n{rows}".encode(), name="a.csv")
    assert (subject.task.kind, {*subject.task.classes}) == ("multi-label", {*TAGS})
    assert [{*map(subject.task.classes.__getitem__, np.flatnonzero(one))} for one in subject.inputs.predictions] == [
        {*some} for some in sets
    ]
    older = read_table(f"PredictedTags,Tags\n{rows}".encode(), name="a.csv", choices=TableChoices(rules=LONE))
    assert older.task.kind == "classification"


def feather(columns):
    """A table in memory as the bytes of a Feather file."""
    file = io.BytesIO()
    pyarrow.feather.write_feather(pa.table(columns), file)
    return file.getvalue()


CLASSES = ("copepod", "diatom", "ciliate")


def test_labels_that_number_the_classes_are_read_by_the_column_that_numbers_the_predictions():
    said = [row % 3 for row in ROWS]
    true = [-1 if row % 4 == 3 else (row + (row % 5 == 0)) % 3 for row in ROWS]
    columns = {"pred": said, "pred_class": [CLASSES[one] for one in said], "label": true}
    subject = read_table(feather(columns), name="a.feather")
    assert subject.reading.with_role("prediction") == ("pred_class",)
    assert subject.reading.roles["label"].meaning == "known in 45 of 60 rows, numbers of classes, which 'pred' tells"
    known = {row: CLASSES[one] for row, one in enumerate(true) if one >= 0}
    assert dict(subject.inputs.known) == known


def test_numbers_of_the_true_words_are_read_as_these_words():
    true = [CLASSES[(row + (row % 5 == 0)) % 3] for row in ROWS]
    columns = {
        "text": [f"What was seen in the haul of day {row}" for row in ROWS],
        "Seen": true,
        "label": [4 + CLASSES.index(one) for one in true],
        "PredictedSeen": ["diatom" for _ in ROWS],
    }
    subject = read_table(feather(columns), name="a.feather")
    assert subject.reading.with_role("label") == ("label",)
    assert "Seen" in subject.reading.left_out
    right = [one == "diatom" for one in true]
    assert (1 - subject.inputs.losses).tolist() == right


def test_two_names_of_one_class_are_one_prediction(tmp_path):
    names = {"Strix aluco": "Tawny owl", "Erithacus rubecula": "Robin", "Sylvia atricapilla": "Blackcap"}
    with sqlite3.connect(tmp_path / "birds.db") as database:
        database.execute(
            "create table detections (day text, sci_name text, com_name text, confidence real, file_name text)"
        )
        rows = [
            (
                f"2025-05-{1 + row % 9:02}",
                [*names][row % 3],
                [*names.values()][row % 3],
                0.7 + row % 29 / 100,
                f"{row:03}.mp3",
            )
            for row in ROWS
        ]
        database.executemany("insert into detections values (?, ?, ?, ?, ?)", rows)
    subject = read_table(tmp_path / "birds.db", name="birds.db")
    assert subject.reading.with_role("prediction") == ("sci_name",)
    assert subject.reading.with_role("confidence") == ("confidence",)
    assert subject.reading.left_out["com_name"] == "it says the same as 'sci_name'"


def forecasts(*models):
    """Hourly numbers of these models with the ends of their intervals."""
    columns = {"unique_id": ["A"] * len(ROWS), "ds": [f"2025-01-{1 + row // 24:02} {row % 24:02}:00" for row in ROWS]}
    for place, model in enumerate(models):
        values = 100 + 10 * np.sin(np.arange(len(ROWS)) / 7 + place)
        columns |= {model: values, f"{model}-lo-95": values - 5.5, f"{model}-hi-95": values + 5.5}
    return feather(columns)


def test_numbers_between_the_ends_of_their_intervals_are_predictions_and_those_of_several_models_are_asked_about():
    found = read_table(forecasts("AutoARIMA"), name="a.feather").reading
    assert found.with_role("prediction") == ("AutoARIMA",)
    assert {"AutoARIMA-lo-95", "AutoARIMA-hi-95"} <= {*found.left_out}
    with pytest.raises(ReadingUnclear, match="'AutoARIMA' and 'Theta' may each be the prediction"):
        read_table(forecasts("AutoARIMA", "Theta"), name="a.feather")


def test_names_of_files_that_end_as_the_truth_goes_are_said():
    true = [row % 3 > 0 for row in ROWS]
    said = [one ^ (row % 10 == 0) for row, one in enumerate(true)]
    rows = "".join(
        f"{row}Cx40_{'good' if one else 'bad'}.png,{f'{int(one)}.0' if row < 20 else int(one)},{int(other)}\n"
        for row, (one, other) in enumerate(zip(true, said, strict=True))
    )
    found = read_table(f"image,y_true,y_pred\n{rows}".encode(), name="a.csv").reading
    assert any("names of files in 'image' hold what goes with the classes" in doubt for doubt in found.doubtful)
    plain = rows.replace("_good", "").replace("_bad", "")
    found = read_table(f"image,y_true,y_pred\n{plain}".encode(), name="a.csv").reading
    assert not any("names of files" in doubt for doubt in found.doubtful)


def test_a_label_of_the_document_that_was_asked_about_is_no_grade():
    records = [
        {
            "doc_id": row,
            "doc": {
                "query": f"What follows step {row} of the work?",
                "choices": ["a", "b", "c", "d"],
                "label": str(row % 4),
            },
            "target": str(row % 4),
            "resps": [[f"Step {row + 1} follows, with care."]],
            "filtered_resps": [f"Step {row + 1} follows, with care."],
            "acc": float(row % 5 > 0),
        }
        for row in ROWS
    ]
    found = read_table("\n".join(map(json.dumps, records)).encode(), name="samples.jsonl").reading
    assert (found.with_role("label"), found.with_role("outcome")) == ((), ("acc",))


def test_suggestions_of_sentences_are_outputs_and_of_words_predictions():
    texts = [f"Take step {row} first.\nThen go on with the {row + 3} others, as before." for row in ROWS]
    for said, role in ((texts, "output"), ([CLASSES[row % 3] for row in ROWS], "prediction")):
        records = [
            {"task": f"What comes before step {row + 1}?", "suggestion": one}
            for row, one in zip(ROWS, said, strict=True)
        ]
        found = read_table("\n".join(map(json.dumps, records)).encode(), name="a.jsonl").reading
        assert found.with_role(role) == ("suggestion",)


@pytest.mark.parametrize("space", [" ", "\xa0", "\u202f", "'"])
def test_thousands_with_spaces_between_them_may_have_a_unit_behind_them(space):
    def written(number):
        return f"{number:,.2f}".replace(",", space).replace(".", ",") + " kr"

    true = [900 + 61_234.5 * (row * 37 % 60) for row in ROWS]
    said = [one * (1.04 if row % 2 else 0.97) for row, one in enumerate(true)]
    rows = "".join(
        f"{row};{written(one)};{written(other)}\n" for row, (one, other) in enumerate(zip(true, said, strict=True))
    )
    subject = read_table(f"objekt;slutpris;modellens_pris\n{rows}".encode(), name="a.csv")
    assert subject.task.kind == "regression"
    assert subject.inputs.predictions == pytest.approx(np.array(said), abs=0.005)


def test_labels_of_classes_that_are_never_predicted_are_counted_and_named():
    said = [CLASSES[row % 3] for row in ROWS]
    true = ["lynx" if row % 20 == 7 else "owl" if row == 30 else one for row, one in enumerate(said)]
    rows = "".join(f"{row}.png,{one},{other}\n" for row, (one, other) in enumerate(zip(said, true, strict=True)))
    subject = read_table(f"file,prediction,label\n{rows}".encode(), name="a.csv")
    assert subject.reading.roles["label"].meaning == "4 of 60 labels are never predicted and wrong: lynx 3, owl 1"
    assert subject.inputs.losses is None or int(subject.inputs.losses.sum()) == 4
    empty = rows.replace(f"30.png,{said[30]},owl", f"30.png,{said[30]},")
    found = read_table(f"file,prediction,label\n{empty}".encode(), name="a.csv").reading
    assert found.roles["label"].meaning == (
        "known in 59 of 60 rows, 3 of 59 labels are never predicted and wrong: lynx 3"
    )
