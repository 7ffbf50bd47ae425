"""What is true and what a model said are told apart whatever their columns are called: made tables whose maker knows."""

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from testimate import open_subject
from testimate.core.errors import BadInput, ReadingUnclear
from testimate.core.subject import Subject

WORDS = [
    "the",
    "cat",
    "of",
    "a",
    "small",
    "river",
    "house",
    "went",
    "over",
    "when",
    "rain",
    "stopped",
    "and",
    "nobody",
    "saw",
]

SAID = (
    *("answer", "response", "output", "completion", "model_answer", "reply", "prediction", "pred", "gpt4"),
    *("candidate", "result"),
)
TRUE = (
    *("reference", "gold", "ground_truth", "expected", "answer", "label", "solution", "human_answer", "completion"),
    *("true_answer", "best_answer", "summary"),
)


def read(folder: Path, columns: Mapping[str, Any]) -> Subject | None:
    """The table as it is read; None where something is asked or refused."""
    with (folder / "t.csv").open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([[*columns], *zip(*columns.values(), strict=True)])
    try:
        return open_subject(folder / "t.csv")
    except (ReadingUnclear, BadInput):
        return None


def sentences(rng: np.random.Generator, count: int, words: int) -> list[str]:
    return [" ".join(rng.choice(WORDS, words)).capitalize() + "." for _ in range(count)]


def named_pairs() -> Iterator[tuple[str, str]]:
    return ((said, true) for said in SAID for true in TRUE if said != true)


KINDS = ("texts", "phrases", "letters", "numbers", "texts that end in a number")


def said_and_true(rng: np.random.Generator, kind: str) -> tuple[list[object], list[object]]:
    """What a model said and what is true of 40 questions, right in three of five."""
    if kind == "texts":  # a right reply begins with what is true
        known = sentences(rng, 40, 8)
        return [f"{one} {sentences(rng, 1, 12)[0]}" for one in known[:32]] + sentences(rng, 8, 20), [*known]
    words = {"phrases": [f"{one} {two}" for one in WORDS[:6] for two in WORDS[6:12]], "letters": [*"ABCD"]}
    some = words.get(kind) or rng.integers(1, 500, 200).tolist()
    true = [some[place] for place in rng.integers(len(some), size=40)]
    said = [one if rng.random() < 0.6 else some[rng.integers(len(some))] for one in true]
    if kind == "texts that end in a number":
        said = [f"{text} The answer is {one}." for text, one in zip(sentences(rng, 40, 20), said, strict=True)]
    return said, true


@pytest.mark.parametrize("kind", KINDS)
def test_no_pair_of_names_makes_what_is_true_the_output_or_a_score(kind: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(KINDS.index(kind))
    wrong, unread = [], 0
    for said, true in named_pairs():
        both = dict(zip((said, true), said_and_true(rng, kind), strict=True))
        names = [said, true] if rng.random() < 0.5 else [true, said]
        subject = read(tmp_path, {"question": sentences(rng, 40, 9), **{name: both[name] for name in names}})
        if subject is None:
            unread += 1
            continue
        roles = {name: one.role for name, one in subject.reading.roles.items()}
        if roles.get(said) not in ("output", "prediction") or roles.get(true) not in ("reference", "label", None):
            wrong.append((said, true))
    assert not wrong
    assert unread <= (0.6 if kind == "numbers" else 0.25) * len([*named_pairs()])


def answers(rng: np.random.Generator, form: str, rows: int, classes: int) -> tuple[list[object], list[object]]:
    """What is true, right in four of five rows and by chance in others, and what was predicted."""
    words = {2: ["cat", "dog"], 3: ["neg", "neu", "pos"], 5: [*"abcde"]}[classes]
    true = rng.integers(classes, size=rows)
    said = np.where(rng.random(rows) < 0.8, true, rng.integers(classes, size=rows))
    if form == "numbers":
        return true.tolist(), said.tolist()
    if form == "measured":
        amounts = rng.normal(50, 10, rows).round(2)
        return amounts.tolist(), (amounts + rng.normal(0, 4, rows)).round(2).tolist()
    named = [words[place] for place in said]
    if form == "numbers beside words":
        return true.tolist(), [*named]
    if form == "words beside numbers":
        return [words[place] for place in true], said.tolist()
    return [words[place].upper() if form == "other case" else words[place] for place in true], [*named]


FORMS = ("words", "other case", "numbers", "numbers beside words", "words beside numbers", "measured")


@pytest.mark.parametrize("form", FORMS)
def test_a_truth_of_any_name_is_shown_to_no_tester_and_used_as_no_score_in_silence(form: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(FORMS.index(form))
    misread = []
    for called in ("prediction", "predicted_class", "model_output", "yhat"):
        for rows in (40, 300):
            for classes in (2, 3, 5):
                true, said = answers(rng, form, rows, classes)
                columns: dict[str, object] = {called: said, "foo": true, "age": rng.integers(18, 80, rows)}
                columns["city"] = rng.choice(["Rome", "Oslo", "Bern"], rows)
                columns["confidence"] = rng.uniform(0.4, 1, rows).round(3)
                subject = read(tmp_path, columns)
                assert subject is not None
                hidden = "foo" not in dict(subject.dataset.show(0).cells) and "foo" not in subject.reading.roles
                mentioned = any("'foo'" in doubt for doubt in subject.reading.doubtful)
                if subject.reading.with_role("prediction") != (called,) or not (hidden or mentioned):
                    misread.append((called, rows, classes, str(subject.reading)))
    assert not misread


@pytest.mark.parametrize("form", FORMS)
def test_few_rows_that_cannot_tell_the_truth_of_any_name_say_so(form: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(20 + FORMS.index(form))
    misread = []
    for called in ("prediction", "predicted_class", "yhat", "class"):
        for rows, classes in ((6, 2), (6, 5), (12, 2), (12, 5), (30, 2)):
            true, said = answers(rng, form, rows, classes)
            columns: dict[str, object] = {"foo": true, called: said, "city": rng.choice(["Rome", "Oslo", "Bern"], rows)}
            subject = read(tmp_path, {**columns, "confidence": rng.uniform(0.4, 1, rows).round(3)})
            if subject is None:  # asked
                continue
            unseen = form == "words beside numbers" or "foo" not in dict(subject.dataset.show(0).cells)
            named = "foo" not in subject.reading.roles or any("'foo'" in doubt for doubt in subject.reading.doubtful)
            if subject.reading.with_role("prediction") != (called,) or not (unseen and named):
                misread.append((called, rows, classes, str(subject.reading)))
    assert not misread


def test_of_few_rows_classes_in_single_words_are_asked_about_before_others_are_the_prediction(tmp_path: Path) -> None:
    table = pd.DataFrame({"id": range(6), "result": [*"abcdea"], "ref": [*"aacdda"]})
    table.to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(ReadingUnclear, match="'result' and 'ref' may each be the prediction"):
        open_subject(tmp_path / "t.csv")
    table = pd.DataFrame({"age": [33, 51, 20, 67, 48, 29], "model_output": [*"abcdec"], "status": [1, 0, 1, 1, 0, 1]})
    table.to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(ReadingUnclear, match="'model_output' is called an output"):
        open_subject(tmp_path / "t.csv")


def test_of_few_rows_numbers_that_rise_with_each_other_are_asked_about_before_words_are_the_prediction(
    tmp_path: Path,
) -> None:
    rng = np.random.default_rng(32)
    true = rng.normal(50, 10, 12)
    columns: dict[str, object] = {"city": [*"ABCABCABCABC"], "foo": true.round(2)}
    columns |= {"bar": (true + rng.normal(0, 12, 12)).round(2), "confidence": rng.uniform(0.4, 1, 12).round(3)}
    pd.DataFrame(columns).to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(ReadingUnclear, match="'foo' and 'bar' and 'city' may each be the prediction"):
        open_subject(tmp_path / "t.csv")


def test_few_rows_with_a_known_truth_or_numbers_that_cannot_be_the_truth_are_read_without_a_word(
    tmp_path: Path,
) -> None:
    rng = np.random.default_rng(31)
    columns: dict[str, object] = {"age": rng.integers(18, 80, 8), "prediction": rng.choice(["cat", "dog"], 8)}
    subject = read(tmp_path, columns)
    assert subject is not None
    assert not any("may be the truth" in doubt for doubt in subject.reading.doubtful)
    subject = read(tmp_path, {**columns, "foo": rng.integers(2, size=8), "label": rng.choice(["cat", "dog"], 8)})
    assert subject is not None
    assert not any("may be the truth" in doubt for doubt in subject.reading.doubtful)


def test_two_columns_that_agree_are_asked_about_where_a_third_would_be_the_only_classes(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    true, said = answers(rng, "numbers", 60, 3)
    pd.DataFrame(
        {"city": rng.choice(["Rome", "Oslo"], 60), "one": said, "two": true, "confidence": rng.uniform(0.5, 1, 60)}
    ).to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(ReadingUnclear, match="'one' and 'two' and 'city' may each be the prediction"):
        open_subject(tmp_path / "t.csv")


def test_a_group_by_its_name_that_holds_the_predicted_classes_may_be_the_truth(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    true, said = answers(rng, "words", 200, 3)
    subject = read(tmp_path, {"text": sentences(rng, 200, 9), "group": true, "prediction": said})
    assert subject is not None
    assert subject.reading.with_role("prediction") == ("prediction",)
    assert "group" not in subject.reading.roles
    assert any("'group' may be the truth" in doubt for doubt in subject.reading.doubtful)


def test_a_flag_of_the_question_is_no_prediction_beside_the_replies_of_two_systems(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    columns = {"question": sentences(rng, 40, 9), "ground_truth": sentences(rng, 40, 8)}
    columns |= {name: sentences(rng, 40, 20) for name in ("plain_answer", "tuned_answer")}
    flags = {"multi_hop_question": [place == 7 for place in range(40)]}
    pd.DataFrame({**columns, **flags, "tuned_confidence": rng.uniform(0.5, 1, 40)}).to_csv(
        tmp_path / "t.csv", index=False
    )
    with pytest.raises(ReadingUnclear, match="'plain_answer' and 'tuned_answer' may each be the output"):
        open_subject(tmp_path / "t.csv")


def test_chances_as_numpy_prints_them_are_no_text_that_a_tester_reads(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    some = sentences(rng, 20, 9)
    chances = rng.uniform(0, 1, 60)
    columns: dict[str, object] = {"sentence": [some[place] for place in rng.integers(20, size=60)]}
    columns["probabilities"] = [str(np.array([chance, 1 - chance])) for chance in chances]
    columns["label_predicted"] = np.where(chances > 0.5, "ham", "spam")
    columns["ham_probability"], columns["spam_probability"] = chances.round(7), (1 - chances).round(7)
    subject = read(tmp_path, columns)
    assert subject is not None
    shown = subject.dataset.show(0)
    assert (shown.text or dict(shown.cells)["sentence"]) in some
    assert "probabilities" not in subject.reading.roles


def test_a_match_of_which_a_few_rows_say_something_else_is_shown_to_no_tester(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    true, said = answers(rng, "words", 40, 3)
    matches = ["not decided", *(str(one == other) for one, other in zip(true[1:], said[1:], strict=True))]
    columns: dict[str, object] = {"text": sentences(rng, 40, 9), "expected_verdict": true, "actual_verdict": said}
    subject = read(tmp_path, {**columns, "match": matches})
    assert subject is not None
    assert "match" not in subject.reading.roles
    assert "match" not in dict(subject.dataset.show(0).cells)
