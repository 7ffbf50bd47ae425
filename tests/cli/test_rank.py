"""`testimate rank`: the fields of its JSON, every technique, and every bad input of several models in a sentence."""

import json
import re

import numpy as np
import pytest
from scipy.stats import kendalltau, spearmanr, wilcoxon

from testimate.comparison.predictions import predictions_of
from testimate.comparison.ranking import TECHNIQUES, ces_rows, mean_correlation, rank
from testimate.core.errors import BadInput
from tests.each import each


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(3)
    truth = rng.integers(4, size=300)
    columns = {"label": truth}
    for name, share in (("a", 0.9), ("b", 0.75), ("c", 0.6), ("d", 0.45)):
        columns[name] = np.where(rng.random(300) < share, truth, (truth + rng.integers(1, 4, size=300)) % 4)
    path = tmp_path / "predictions.csv"
    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    path.write_text("\n".join(lines) + "\n")
    return path, columns


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_the_json_has_the_promised_fields_and_agrees_with_the_truth(technique, table, command):
    path, columns = table
    more = [] if technique in ("laf", "majority") else ["--budget", 60, "--seed", 1]
    found = json.loads(command("rank", path, "--technique", technique, "--truth", "label", "--json", "-", *more).out)
    assert set(found) == {"technique", "ranking", "spearman", "kendall", "jaccard", "spearman_p", "kendall_p"}
    assert [set(one) for one in found["ranking"]] == [{"model", "rank", "score"}] * 4
    assert set(found["jaccard"]) == {"1", "3", "5", "10"}
    accuracy = {name: np.mean(columns[name] == columns["label"]) for name in "abcd"}
    scores = [one["score"] for one in found["ranking"]]
    expected = spearmanr(scores, [accuracy[one["model"]] for one in found["ranking"]]).statistic
    assert found["spearman"] == pytest.approx(expected)
    assert found["ranking"][0]["model"] == "a"


def test_the_truth_judges_the_ranking_and_never_changes_it(table, command, tmp_path):
    path, _ = table
    without = tmp_path / "without.csv"
    rows = [line.split(",", 1)[1] for line in path.read_text().splitlines()]
    without.write_text("\n".join(rows) + "\n")
    judged = json.loads(command("rank", path, "--truth", "label", "--json", "-").out)
    plain = json.loads(command("rank", without, "--json", "-").out)
    assert plain["ranking"] == judged["ranking"]
    assert set(plain) == {"technique", "ranking"}


def test_a_true_class_that_no_model_predicts_adds_nothing_but_errors(tmp_path, command):
    path = tmp_path / "words.csv"
    path.write_text("label,a,b,c\nunseen,cat,dog,cat\ncat,cat,cat,dog\ndog,dog,dog,dog\n")
    found = json.loads(command("rank", path, "--truth", "label", "--technique", "majority", "--json", "-").out)
    assert found["ranking"][0]["model"] == "a"


def test_a_column_of_labels_that_was_not_named_is_pointed_out(table, command):
    path, _ = table
    suspect = "'label' looks like the true labels and is not ranked. If it is, run again with --truth label"
    assert suspect in command("rank", path).err


@each("name", ["Wahrheit", "clase real", "真实标签"])
def test_labels_under_a_name_of_another_language_are_no_model(tmp_path, command, name):
    path, _ = mixed(tmp_path)
    path.write_text(path.read_text().replace("ground_truth", name))
    status, out, err = command("rank", path, "--json", "-")
    assert (status, {one["model"] for one in json.loads(out)["ranking"]}) == (0, {"one", "two", "three"})
    assert f"'{name}' looks like the true labels" in err


def test_in_words_it_lists_the_models_and_says_how_far_to_trust_them(table, command):
    path, _ = table
    out = command.ok("rank", path, "--truth", "label")
    assert re.search(r"^ +1 +[\d.]+ +a$", out, re.MULTILINE)
    assert "spearman" in out


BAD = {
    "one model": ("a\n1\n2\n", [], "There is 1 model; a comparison needs at least 2"),
    "no inputs": ("a,b\n", [], "input|row"),
    "a missing prediction": ("a,b\n1,\n2,2\n", [], "no prediction for row 0"),
    "an unknown truth": ("a,b\n1,2\n", ["--truth", "label"], "no column 'label'"),
    "an unknown technique": ("a,b\n1,2\n", ["--technique", "best"], "Expected one of"),
    "labels wanted without truth": (
        "a,b\n1,2\n",
        ["--technique", "sds", "--budget", "1", "--seed", "1"],
        "true labels",
    ),
    "labels wanted without budget": ("a,b,y\n1,2,1\n", ["--technique", "ces", "--truth", "y"], "budget"),
    "too large a budget": (
        "a,b,y\n1,2,1\n",
        ["--technique", "random", "--truth", "y", "--budget", "9", "--seed", "1"],
        "budget",
    ),
    "an unknown CES model": ("a,b\n1,2\n", ["--ces-model", "mine"], "closest to the majority"),
}


@each("kind", BAD)
def test_what_cannot_be_ranked_is_refused_in_a_sentence(kind, tmp_path, command):
    content, options, sentence = BAD[kind]
    path = tmp_path / "bad.csv"
    path.write_text(content)
    assert re.search(sentence, command.refusal("rank", path, *options))


@pytest.mark.parametrize(
    "content",
    [
        "a,b\ncat,dog\ndog,dog\ncat,owl\n",  # two models, words, a class that one model knows
        "a,b,c\n1,1,1\n2,2,2\n",  # no disagreement
        "a,b,c\n1,1,1\n1,2,2\n1,3,3\n",  # one predicts a single class, two are identical
    ],
)
@pytest.mark.parametrize("technique", ["laf", "majority"])
def test_what_can_only_be_ranked_badly_is_ranked_with_a_warning(content, technique, tmp_path, command):
    path = tmp_path / "poor.csv"
    path.write_text(content)
    out = command.ok("rank", path, "--technique", technique)
    assert re.search("two models|they are one model|predict the same for every input", out)


def test_ces_with_the_true_accuracies_takes_the_model_that_ranks_best_by_them(table):
    _, columns = table
    predictions = predictions_of({name: columns[name].tolist() for name in "abcd"})
    truth = columns["label"]
    found = rank(predictions, "ces", budget=40, seed=2, truth=truth, ces_model="best by true accuracies")
    worth = [mean_correlation(predictions, truth, ces_rows(predictions, model, 40, 2)) for model in range(4)]
    assert mean_correlation(predictions, truth, found.rows) == max(worth)


def test_the_public_name_ranks_from_python():
    import testimate

    found = testimate.rank(predictions_of({"a": [0, 1, 1], "b": [0, 1, 0], "c": [0, 1, 1]}), "majority")
    assert found.score.tolist() == [1.0, pytest.approx(2 / 3), 1.0]
    with pytest.raises(BadInput, match="shape"):
        testimate.rank(predictions_of({"a": [0], "b": [1]}), "majority", truth=[0, 1])


def mixed(tmp_path, **more):
    """A table of three models of 85, 75 and 65%, with a key, a measurement and the truth among them."""
    rng = np.random.default_rng(8)
    truth = rng.integers(4, size=300)
    said = [np.where(rng.random(300) < share, truth, (truth + 1) % 4) for share in (0.85, 0.75, 0.65)]
    columns = {"picture": [f"{row}.png" for row in range(300)], "PassengerId": range(892, 1192), "one": said[0]}
    columns |= {"two": said[1], "nb_conf": rng.random(300).round(3), "three": said[2], "ground_truth": truth, **more}
    columns |= {"Sex": rng.choice(["male", "female"], 300), "width": rng.choice([320, 640], 300)}
    path = tmp_path / "mixed.csv"
    path.write_text(
        "\n".join(",".join(map(str, row)) for row in (columns, *zip(*columns.values(), strict=True))) + "\n"
    )
    return path, said


def test_only_columns_whose_cells_are_the_others_classes_are_ranked(tmp_path, command):
    path, _ = mixed(tmp_path)
    status, out, err = command("rank", path, "--json", "-")
    assert (status, {one["model"] for one in json.loads(out)["ranking"]}) == (0, {"one", "two", "three"})
    assert "300 rows: 3 models `one`, `two`, `three`" in err
    assert "'ground_truth' looks like the true labels and is not ranked. If it is, run again with" in err
    named = json.loads(command("rank", path, "--truth", "ground_truth", "--ignore", "three", "--json", "-").out)
    assert [one["model"] for one in named["ranking"]] == ["one", "two"]
    chosen = json.loads(command("rank", path, "--model", "two", "--model", "ground_truth", "--json", "-").out)
    assert {one["model"] for one in chosen["ranking"]} == {"two", "ground_truth"}


def test_models_that_spell_the_same_classes_otherwise_are_asked_about(tmp_path, command):
    words = np.array(["zero", "One", "TWO", "three"])
    _, said = mixed(tmp_path)
    path, _ = mixed(tmp_path, three=words[said[2]])
    ways = [line for line in command("rank", path).err.splitlines() if line.startswith("  testimate rank ")]
    assert [way.rpartition(" ")[2] for way in ways] == ["spelling=same", "spelling=different"]
    same = json.loads(command("rank", path, "--read", "spelling=same", "--json", "-").out)
    plain, _ = mixed(tmp_path)
    assert same["ranking"] == json.loads(command("rank", plain, "--json", "-").out)["ranking"]


def test_a_model_of_other_classes_is_refused_with_the_option_that_leaves_it_out(tmp_path, command):
    path, _ = mixed(tmp_path, three=np.array(list("abcd"))[np.arange(300) % 4])
    assert "--ignore three" in command.refusal("rank", path, "--model", "one", "--model", "two", "--model", "three")


def test_a_table_without_models_is_refused_in_a_sentence(tmp_path, command):
    path = tmp_path / "no.csv"
    path.write_text("label\n1\n2\n")
    assert "There are 0 models" in command.refusal("rank", path, "--truth", "label", "--technique", "sds")


def test_correlations_have_scipys_p_values_and_their_spread(table, command):
    path, columns = table
    given = ("rank", path, "--truth", "label", "--technique", "random", "--budget", 40, "--json", "-", "--seed")
    ranked = json.loads(command(*given, 3, "--repetitions", 4).out)
    scores = {one["model"]: one["score"] for one in ranked["ranking"]}
    true = [np.mean(columns[model] == columns["label"]) for model in scores]
    assert ranked["spearman_p"] == pytest.approx(spearmanr(list(scores.values()), true).pvalue)
    assert ranked["kendall_p"] == pytest.approx(kendalltau(list(scores.values()), true).pvalue)
    each_one = [json.loads(command(*given, 3 + more).out)["spearman"] for more in range(4)]
    assert ranked["spread"]["spearman"] == pytest.approx(np.mean(each_one))
    assert ranked["spread"]["spearman_sd"] == pytest.approx(np.std(each_one, ddof=1))


def test_what_always_ranks_the_same_has_no_spread(table, command):
    status, _, said = command("rank", table[0], "--truth", "label", "--repetitions", 5)
    assert status == 2
    assert "laf is to be repeated. Expected sds, ces or random" in said


def test_two_rankings_are_compared_by_scipys_test_over_the_same_seeds(table, command):
    path, _ = table
    given = ("rank", path, "--truth", "label", "--budget", 40, "--seed", 3, "--json", "-")
    found = json.loads(command(*given, "--technique", "sds", "--against", "random", "--repetitions", 6).out)["against"]
    orders = {
        technique: [
            json.loads(command(*given[:7], 3 + more, *given[8:], "--technique", technique).out) for more in range(6)
        ]
        for technique in ("sds", "random")
    }
    errors = {technique: [1 - one["spearman"] for one in ranked] for technique, ranked in orders.items()}
    assert found["p_value"] == pytest.approx(wilcoxon(errors["sds"], errors["random"], alternative="less").pvalue)
    pairs = [(own < other) + (own == other) / 2 for own in errors["sds"] for other in errors["random"]]
    assert found["a12"] == pytest.approx(np.mean(pairs))


def test_one_ranking_is_compared_with_each_that_samples(table, command):
    path, _ = table
    given = ("rank", path, "--truth", "label", "--technique", "majority", "--budget", 40, "--seed", 3)
    said = command(*given, "--against", "random", "--repetitions", 5).out
    assert "against random, by 1 - spearman: " in said
    assert "over 5 rankings" not in said


def test_two_that_always_rank_the_same_are_not_compared(table, command):
    status, _, said = command("rank", table[0], "--truth", "label", "--against", "majority")
    assert status == 2
    assert "Both techniques always rank the same. Expected one of them to sample." in said
