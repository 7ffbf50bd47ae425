"""Tables laid out as thirty drawn anew from public repositories are, each with its right reading before anything read it.

Of the twenty-six that hold predictions at first sight fifteen were read right and one in part, three were asked about, four
were refused and three were misread without a word: two have no header, so that a row was lost, and one says True and False
where the labels say safe and unsafe, so that all were wrong. Now nineteen are read, four are asked about and three refused. Of
fourteen of a third draw nine were read right, one in part, one was asked about and three were refused. Of ten of a fourth six
were read right, two were refused, and two were misread: a row was lost, and a truth of badly predicted numbers was not seen.
"""

import numpy as np

from tests.tables.held_out_files import HeldOut, delimited

SIZE = 240
RNG = np.random.default_rng(151_515)
TRUTH = RNG.integers(0, 2, SIZE)
SAID = np.where(RNG.random(SIZE) < 0.8, TRUTH, 1 - TRUTH)
OTHER = np.where(RNG.random(SIZE) < 0.9, TRUTH, 1 - TRUTH)
RIGHT = float((SAID == TRUTH).mean())
CHANCE = np.where(SAID == 1, RNG.uniform(0.432, 0.97, SIZE), RNG.uniform(0.02, 0.43, SIZE)).round(5)
AMOUNT = RNG.gamma(2, 9000, SIZE).round(1)
ROWS = range(SIZE)
MOODS = np.array(["calm", "tense"])


def of_numpy() -> bytes:
    """Numbered classes as NumPy saves an array: no header."""
    return "".join(f"{float(one):.18e}\n" for one in SAID).encode()


def of_amounts() -> bytes:
    """Predicted amounts and no header."""
    return "".join(f"{one}\n" for one in AMOUNT).encode()


def of_words() -> bytes:
    """Predicted classes in words and no header."""
    return "".join(f"{word}\n" for word in MOODS[SAID]).encode()


def of_pandas() -> bytes:
    """A series that pandas saved: a header of its numbered column, and numbers of the rows without a name."""
    return b",0\n" + "".join(f"{row},{one}\n" for row, one in enumerate(AMOUNT)).encode()


def of_flags() -> bytes:
    """True and False under the name of a class, beside labels in words."""
    return delimited(
        ",",
        "utf-8",
        kernel=[f"k{row:03}" for row in ROWS],
        pred_safe=SAID.astype(bool),
        label=np.where(TRUTH, "safe", "unsafe"),
    )


def of_foreign_labels() -> bytes:
    """Labels that share no class with the predictions."""
    return delimited(",", "utf-8", prediction=np.where(SAID, "spam", "ham"), label=np.where(TRUTH, "bad", "good"))


def of_threshold() -> bytes:
    """The chance of the second class, from 0.431 on predicted."""
    return delimited(",", "utf-8", True_Label=TRUTH.astype(float), Predicted_Label=SAID, Probability=CHANCE)


def of_two_filters() -> bytes:
    """The labels of two filters beside what was expected."""
    return delimited(
        ",",
        "utf-8",
        text=[f"The remark of visitor {row} was written down" for row in ROWS],
        kind=np.where(OTHER, "remark", "calm"),
        expected_label=MOODS[TRUTH],
        short_bert_label=MOODS[SAID],
        wordlist_label=MOODS[OTHER],
    )


def of_moods() -> bytes:
    """Moods by three networks beside texts, and no truth."""
    again = np.where(RNG.random(SIZE) < 0.8, SAID, 1 - SAID)
    texts = [f"The letter of number {row} begins so" for row in ROWS]
    return delimited(",", "utf-8", text=texts, net2_mood=MOODS[SAID], net4_mood=MOODS[OTHER], lexicon=MOODS[again])


def of_group_flag() -> bytes:
    """A feature that is called Group and says yes or no in each row."""
    return delimited(",", "utf-8", Group=OTHER, Focus=TRUTH, prediction=AMOUNT, Cuteness=(AMOUNT * 0.9 + 50).round(1))


def of_join() -> bytes:
    """What two models predict, one of them not for the first hours, beside the truth from each of two joined tables."""
    sold = RNG.poisson(80, SIZE)
    first, second = (np.round(sold + RNG.normal(0, 6, SIZE), 4).astype(object) for _ in range(2))
    second[:24] = ""
    return delimited(
        ",",
        "utf-8",
        product=["PEAR"] * SIZE,
        hour=[f"2031-03-{1 + row // 24:02} {row % 24:02}:00:00" for row in ROWS],
        sales_x=sold,
        boost_pred=first,
        sales_y=sold,
        lstm_pred=second,
    )


def of_one_of_join() -> bytes:
    """The same of one model."""
    return of_join().replace(b"lstm_pred", b"lstm_spare")


def of_files() -> bytes:
    """Files and a number of each, without a header."""
    return "".join(f"{900 + row}.png,{one / 1000:.4f}\n" for row, one in enumerate(AMOUNT)).encode()


def of_poor_model() -> bytes:
    """A number that is predicted badly, so that only the names say which is the true one."""
    guess = (AMOUNT * 0.3 + RNG.normal(9000, 12000, SIZE)).round(2)
    return delimited(",", "utf-8", patient=[f"p{row}" for row in ROWS], Actual_Value=AMOUNT, Predicted_Value=guess)


def of_numbered_labels() -> bytes:
    """Classes by number and in words, of the truth and of the predictions."""
    parts = np.array(["needle", "plunger", "label"])
    true = RNG.integers(0, 3, SIZE)
    said = np.where(RNG.random(SIZE) < 0.75, true, RNG.integers(0, 3, SIZE))
    words = {"label": true, "rev_label": parts[true], "predictions": said, "predicted_classes": parts[said]}
    return delimited(",", "utf-8", report=[f"The report of case {row} says so" for row in ROWS], **words)


FIFTEENTH_HELD_OUT = [
    HeldOut("saved.csv", of_numpy, {"line": "prediction"}),
    HeldOut("amounts.csv", of_amounts, {"line": "prediction"}),
    HeldOut("words.txt", of_words, {"line": "prediction"}),
    HeldOut("series.csv", of_pandas, {"0": "prediction", "": "row number"}),
    HeldOut("kernels.csv", of_flags, {"pred_safe": "prediction", "label": "label"}, accuracy=RIGHT),
    HeldOut("foreign.csv", of_foreign_labels, refuses="Expected the same classes in both"),
    HeldOut(
        "threshold.csv",
        of_threshold,
        {"Predicted_Label": "prediction", "True_Label": "label", "Probability": "confidence"},
        accuracy=RIGHT,
    ),
    HeldOut("filters.csv", of_two_filters, asks="'short_bert_label' and 'wordlist_label' may each"),
    HeldOut("moods.csv", of_moods, asks="'net2_mood' and 'net4_mood' and 'lexicon' may each"),
    HeldOut("flag.csv", of_group_flag, {"prediction": "prediction", "Group": "score"}),
    HeldOut("join.csv", of_join, asks="'boost_pred' and 'lstm_pred' may each"),
    HeldOut(
        "one_of_join.csv",
        of_one_of_join,
        {"boost_pred": "prediction", "sales_y": "label"},
        hidden=["sales_x"],
    ),
    HeldOut("heads.csv", of_files, {"column 1": "file", "column 2": "prediction"}),
    HeldOut("poor.csv", of_poor_model, {"Predicted_Value": "prediction", "Actual_Value": "label"}),
    HeldOut(
        "parts.csv",
        of_numbered_labels,
        {"predicted_classes": "prediction", "rev_label": "label", "report": "text"},
        hidden=["label", "predictions"],
    ),
]
