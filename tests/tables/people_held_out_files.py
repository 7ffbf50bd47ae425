"""Tables that people keep for their own use: totals at the end, a cover sheet, names in their language or as whole questions.

Of forty of them, 23 of the 36 with one right reading were read without a question at first, 11 asked about, 2 refused.
"""

import json
from collections.abc import Sequence

import numpy as np

from tests.tables.held_out_files import HeldOut, delimited, lines
from tests.tables.workbooks import workbook

SIZE = 80
RNG = np.random.default_rng(2411)
KINDS = np.array(["refund", "delivery", "quality", "other"])
TRUE = RNG.integers(0, 4, SIZE)
SAID = np.where(RNG.random(SIZE) < 0.85, TRUE, (TRUE + 1 + RNG.integers(0, 3, SIZE)) % 4)
GOOD = float((SAID == TRUE).mean())
SURE = RNG.uniform(0.4, 1, SIZE).round(3)
ROWS = range(SIZE)
PLACES = RNG.integers(0, 5, SIZE)


def rows(names: Sequence[str], *columns: Sequence[object]) -> list[list[object]]:
    return [[*names], *([*one] for one in zip(*columns, strict=True))]


def as_text(table: Sequence[Sequence[object]], separator: str = ",") -> bytes:
    return "".join(separator.join(map(str, line)) + "\r\n" for line in table).encode()


def of_calls() -> bytes:
    """A call center's: two totals stand below the calls."""
    same = np.where(SAID == TRUE, "Y", "N")
    calls = [f"C-{880_121 + row}" for row in ROWS]
    table = rows(["Call ID", "AI disposition", "QA disposition", "Match"], calls, KINDS[SAID], KINDS[TRUE], same)
    return as_text([*table, ["Total", "", SIZE, (SAID == TRUE).sum()], ["Accuracy", "", "", f"{GOOD:.1%}"]])


COUNTS = RNG.integers(3, 140, SIZE)
COUNTED = np.maximum(COUNTS + RNG.integers(-6, 6, SIZE), 0)


def of_counts() -> bytes:
    """A bird count's, whose total fills its row: it is known by the sums."""
    table = rows(["Image", "Counted by AI", "Counted by hand"], [f"DJI_{row}.JPG" for row in ROWS], COUNTED, COUNTS)
    return workbook([*table, ["TOTAL", int(COUNTED.sum()), int(COUNTS.sum())]])


def of_notes_below() -> bytes:
    """Remarks stand below an empty row."""
    table = rows(["No.", "Tool label", "Panel label"], ROWS, KINDS[SAID], KINDS[TRUE])
    return as_text([*table, ["", "", ""], ["Panel: Dana and Kevin", "", ""]])


def of_a_lawyer() -> bytes:
    """What a model read of contracts, and what a lawyer did."""
    true = [f"{12 * (1 + row % 3)} months from {row % 28 + 1} May" for row in ROWS]
    said = np.where(SAID == TRUE, true, "not found")
    fields = rows(["Contract", "AI extracted value", "Lawyer value"], [f"MSA_{row}.pdf" for row in ROWS], said, true)
    return workbook(fields, other=[["Column", "Meaning"], ["Contract", "its file"]])


def of_translations() -> bytes:
    """Segments, with languages in parentheses, and what was made of the machine's."""
    asked = [f"Press and hold button {row} for three seconds." for row in ROWS]
    said = [f"Halten Sie Taste {row} drei Sekunden lang." for row in ROWS]
    true = [f"Drücken Sie Taste {row} drei Sekunden lang." for row in ROWS]
    table = rows(["Seg", "Source (EN)", "MT output", "Post-edited"], ROWS, asked, said, true)
    return workbook([["Manual, English to German"], *table])


def of_a_cover() -> bytes:
    """A first sheet with a summary, before that of the rows."""
    summary = [["Dział", "Liczba"], ["Faktury", 21], ["Inne", 20]]
    table = rows(["Lp.", "Dział wg modelu", "Pewność", "Dział faktyczny"], ROWS, KINDS[SAID], SURE, KINDS[TRUE])
    return workbook(summary, other=table)


def of_two_sheets() -> bytes:
    """The truth in a second sheet, by the same key."""
    keys = [f"L{row:03d}" for row in ROWS]
    model = rows(["Lesion", "Model call", "Prob."], keys, KINDS[SAID], SURE)
    return workbook(model, other=rows(["Lesion", "Histology"], keys, KINDS[TRUE]))


def of_a_form() -> bytes:
    """Whole questions as names; how sure the people are is no confidence of the model."""
    table = {
        "Which category did the assistant choose?": KINDS[SAID],
        "Which category do you think is right?": KINDS[TRUE],
        "How sure are you? (1 = not at all, 5 = very)": 2 + ROWS_OF_FOUR,
    }
    return delimited(",", "utf-8", **table)


ROWS_OF_FOUR = np.arange(SIZE) % 4


def in_german() -> bytes:
    return delimited(
        ";",
        "cp1252",
        **{"Schaden": ROWS, "KI-Entscheidung": KINDS[SAID], "Entscheidung Sachbearbeiter": KINDS[TRUE]},
    )


def in_portuguese() -> bytes:
    """Numbers that a model gave and a teacher."""
    grades = [f"{5 + one / 2}".replace(".", ",") for one in PLACES]
    said = [f"{4.5 + (one + row % 3) / 2}".replace(".", ",") for row, one in enumerate(PLACES)]
    return delimited(";", "utf-8", **{"Turma": ["3A", "3B"] * 40, "Nota da IA": said, "Nota da professora": grades})


def in_japanese() -> bytes:
    return delimited(",", "utf-8-sig", ロット番号=PLACES, AI判定=KINDS[SAID], 検査員判定=KINDS[TRUE], AI信頼度=SURE)


def in_turkish() -> bytes:
    asked = [f"{row} ile {row + 3} çarpımı kaçtır?" for row in ROWS]
    said = [f"{row} ile {row + 3} çarpılınca {row * (row + 3)} olur." for row in ROWS]
    right = np.where(SAID == TRUE, "Doğru", "Yanlış")
    return delimited(";", "utf-8", **{"Öğrenci sorusu": asked, "Botun yanıtı": said, "Öğretmen değerlendirmesi": right})


TAGS = np.array(["budget", "health", "schools", "transport", "housing"])


def of_tags() -> bytes:
    """Sets of several tags with commas and spaces, which are no sentences."""
    true = [sorted({TAGS[one], TAGS[(one + 1 + row % 3) % 5]}) for row, one in enumerate(PLACES)]
    said = [one if row % 5 else [TAGS[row % 4], "housing"] for row, one in enumerate(true)]
    auto, editors = ([", ".join(one) for one in some] for some in (said, true))
    table = {"article": ROWS, "auto tags": auto, "editor tags": editors}
    return json.dumps([dict(zip(table, one, strict=True)) for one in zip(*table.values(), strict=True)]).encode()


def of_recommendations() -> bytes:
    """Five things recommended to each, and which of them was chosen."""
    things = np.array(["Wool socks", "Trail shoes", "Rain jacket", "Headlamp", "Water bottle", "Tent pegs", "Map case"])
    lists = [RNG.permutation(7)[:5] for _ in ROWS]
    chosen = [things[one[row % 3]] for row, one in enumerate(lists)]
    return delimited(
        ",",
        "utf-8",
        **{
            "last viewed": things[PLACES],
            "recommended (top 5)": ["; ".join(things[one]) for one in lists],
            "clicked": chosen,
        },
    )


def of_a_review_bot() -> bytes:
    """Comments that a bot made on changes; the files recur."""
    said = ["This branch has no test, please add one.", "Consider raising an error here instead."]
    return lines(
        [
            {
                "file": f"src/mod_{row % 9}.py",
                "diff": f"@@ line {row} @@ - return a + return a or 0",
                "bot_comment": f"{said[row % 2]} (line {row})",
                "accepted": ["yes", "no"][int(SAID[row] == TRUE[row])],
            }
            for row in ROWS
        ]
    )


WELDS = [
    ["Camera verdict", "Camera score", "Welder verdict", "Shift"],
    *([KINDS[said], sure, KINDS[true], "A"] for said, sure, true in zip(SAID, SURE, TRUE, strict=True)),
]


def of_a_title() -> bytes:
    """A title and a date stand above the table, as short lines."""
    return as_text([["Weld inspection pilot, line 4"], ["Export 2026-03-02"], [], *WELDS], ";")


def of_a_padded_title() -> bytes:
    """The same as a spreadsheet saves it: with as many cells in each line."""
    return as_text([["Weld inspection pilot", "", "", ""], ["", "", "", ""], *WELDS])


def in_markdown() -> bytes:
    table = rows(["id", "bot label", "agent label"], ROWS, KINDS[SAID], KINDS[TRUE])
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in [table[0], ["---"] * 3, *table[1:]]).encode()


def in_html() -> bytes:
    """A page with one table under the name of a workbook, as programs write it."""
    table = rows(["Invoice", "Extracted class", "Correct class"], ROWS, KINDS[SAID], KINDS[TRUE])
    lines = ("".join(f"<td>{cell}</td>" for cell in line) for line in table)
    return f"<html><body><table border=1><tr>{'</tr><tr>'.join(lines)}</tr></table></body></html>".encode()


def under_groups() -> bytes:
    """Two rows of names: those of several columns are the same, under the names of groups."""
    table = rows(
        ["Nr.", "Klasse", "Score", "Klasse", "Befunder"], ROWS, KINDS[SAID], SURE, KINDS[TRUE], ["Lang"] * SIZE
    )
    return workbook([["", "Modell", "", "Pathologie", ""], *table], merged=["B1:C1", "D1:E1"])


def of_a_quiz() -> bytes:
    """Choices in columns that are called as the answers are."""
    letters = np.array([*"ABCD"])
    asked = [f"Which of these is the {row + 2}th planet of the list?" for row in ROWS]
    places = {letter: [f"{letter}{row}" for row in ROWS] for letter in letters}
    return delimited(",", "utf-8", **{"Question": asked, **places, "Model answer": letters[SAID], "Key": letters[TRUE]})


def of_picks(names: Sequence[str]) -> bytes:
    """What models wrote, in columns of their names, and which of these an editor picked."""
    wrote = [f"The guest of part {{}} explains in case {place} how {{}} worms keep soil healthy." for place in range(3)]
    table = {
        "excerpt": [f"Today we talk about soil with guest {row}, and about worms." for row in ROWS],
        **{name: [wrote[place].format(row, row + 2) for row in ROWS] for place, name in enumerate(names)},
        "editor_pick": np.array([*names])[TRUE % len(names)],
    }
    return delimited(",", "utf-8", **table)


def of_feedback() -> bytes:
    asked = [f"Last summer I learned how to milk cow number {row}." for row in ROWS]
    said = [f"Your opening is vivid, but vary your verbs (note {row})." for row in ROWS]
    return workbook(rows(["Student", "Essay text", "AI feedback", "Useful? (1-5)"], ROWS, asked, said, PLACES + 1))


def in_dutch() -> bytes:
    sure = [f"{round(100 * one)}%" for one in SURE]
    table = {"Categorie (algoritme)": KINDS[SAID], "Zekerheid": sure, "Categorie (medewerker)": KINDS[TRUE]}
    return delimited(";", "utf-8", **table)


def unlabeled(name: str, said: Sequence[object] = KINDS[SAID]) -> bytes:
    """What a program gave under this name, beside features and a reviewer's name: nobody has labeled anything."""
    return delimited(
        ",",
        "utf-8",
        **{
            "Ref": [f"R-{row}" for row in ROWS],
            "Region": np.array([*"NESW"])[PLACES % 4],
            name: said,
            "Handled by": np.array(["Tanya", "Luis"])[PLACES % 2],
            "Amount": COUNTS * 10.5,
        },
    )


CAMERA = {"Camera verdict": "prediction", "Camera score": "confidence"}

PEOPLE = [
    HeldOut("unlabeled.csv", lambda: unlabeled("AI disposition"), {"AI disposition": "prediction"}),
    HeldOut("nicht.csv", lambda: unlabeled("KI-Entscheidung"), {"KI-Entscheidung": "prediction"}),
    HeldOut("levels.csv", lambda: unlabeled("Algorithm level", PLACES), {"Algorithm level": "prediction"}),
    HeldOut("cars.csv", lambda: unlabeled("Model class"), refuses="--column prediction=NAME"),
    HeldOut("grades_of_one.csv", lambda: unlabeled("Auto-grade"), refuses="--column prediction=Auto-grade"),
    HeldOut(
        "picked.csv",
        lambda: of_picks(["gpt-4o", "claude-3.5"]),
        {"excerpt": "input", "gpt-4o": "output_a", "claude-3.5": "output_b"},
        ["editor_pick"],
    ),
    HeldOut(
        "picks.csv", lambda: of_picks(["sonnet", "mini", "flash"]), asks="'sonnet' and 'mini' and 'flash' may each be"
    ),
    HeldOut("feedback.xlsx", of_feedback, {"Essay text": "input", "AI feedback": "output"}),
    HeldOut(
        "meldingen.csv",
        in_dutch,
        {"Categorie (algoritme)": "prediction", "Zekerheid": "confidence", "Categorie (medewerker)": "label"},
        accuracy=GOOD,
    ),
    HeldOut("weld.csv", of_a_title, CAMERA, ["Welder verdict"]),
    HeldOut("weld_padded.csv", of_a_padded_title, CAMERA, ["Welder verdict"]),
    HeldOut("tickets.md", in_markdown, {"bot label": "prediction"}, ["agent label"]),
    HeldOut("invoices.xls", in_html, {"Extracted class": "prediction", "Correct class": "label"}, accuracy=GOOD),
    HeldOut("groups.xlsx", under_groups, {"Modell Klasse": "prediction", "Score": "confidence"}, ["Pathologie Klasse"]),
    HeldOut(
        "quiz.csv", of_a_quiz, {"Question": "input", "Model answer": "output", "A": "shown", "D": "shown"}, ["Key"]
    ),
    HeldOut("calls.csv", of_calls, {"AI disposition": "prediction"}, ["QA disposition", "Match"]),
    HeldOut("counts.xlsx", of_counts, {"Counted by AI": "prediction", "Counted by hand": "label"}),
    HeldOut("panel.csv", of_notes_below, {"Tool label": "prediction"}, ["Panel label"]),
    HeldOut("contracts.xlsx", of_a_lawyer, {"AI extracted value": "output", "Lawyer value": "reference"}),
    HeldOut(
        "segments.xlsx", of_translations, {"Source (EN)": "input", "MT output": "output", "Post-edited": "reference"}
    ),
    HeldOut(
        "mails.xlsx",
        of_a_cover,
        {"Dział wg modelu": "prediction", "Pewność": "confidence", "Dział faktyczny": "label"},
        accuracy=GOOD,
    ),
    HeldOut("lesions.xlsx", of_two_sheets, {"Model call": "prediction", "Prob.": "confidence"}),
    HeldOut(
        "form.csv",
        of_a_form,
        {"Which category did the assistant choose?": "prediction"},
        ["Which category do you think is right?", "How sure are you? (1 = not at all, 5 = very)"],
    ),
    HeldOut(
        "schaden.csv",
        in_german,
        {"KI-Entscheidung": "prediction", "Entscheidung Sachbearbeiter": "label"},
        accuracy=GOOD,
    ),
    HeldOut("notas.csv", in_portuguese, {"Nota da IA": "prediction", "Nota da professora": "label"}),
    HeldOut(
        "検査.csv",
        in_japanese,
        {"AI判定": "prediction", "検査員判定": "label", "AI信頼度": "confidence"},
        accuracy=GOOD,
    ),
    HeldOut("bot.csv", in_turkish, {"Öğrenci sorusu": "input", "Botun yanıtı": "output"}, ["Öğretmen değerlendirmesi"]),
    HeldOut("tags.json", of_tags, {"auto tags": "prediction", "editor tags": "label"}),
    HeldOut("recommended.csv", of_recommendations, asks="contains lists, among which 'clicked' names one"),
    HeldOut("review.jsonl", of_a_review_bot, {"file": "shown", "diff": "input", "bot_comment": "output"}, ["accepted"]),
]
