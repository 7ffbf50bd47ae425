"""A CSV with the outputs of several prompts: which is judged is asked, and the others and what graders said are hidden."""

import numpy as np
import pandas as pd
import pytest

from testimate import open_subject
from testimate.core.errors import BadInput, ReadingUnclear
from tests.each import each

SIZE = 120
PASSED = {"[openai:gpt-4.1] Say {{n}}": np.arange(SIZE) % 4 > 0, "[local:llama] Say {{n}}": np.arange(SIZE) % 3 > 0}
SAID = {name: [f"{row} by {place}" for row in range(SIZE)] for place, name in enumerate(PASSED)}
ASKED = [f"Say {row}" for row in range(SIZE)]


def in_cells() -> pd.DataFrame:
    """Write the verdict before each output."""
    verdicts = {name: np.where(passed, "[PASS] ", "[FAIL] Too long\n---\n") for name, passed in PASSED.items()}
    cells = {name: [before + said for before, said in zip(verdicts[name], SAID[name], strict=True)] for name in SAID}
    return pd.DataFrame({"question": ASKED, **cells})


def in_columns() -> pd.DataFrame:
    """Write the verdict, the score and what the grader said in columns that repeat for each prompt."""
    frames = [pd.DataFrame({"question": ASKED})]
    for name, passed in PASSED.items():
        status, reason = np.where(passed, "PASS", "FAIL"), np.where(passed, "Fine", "Too long")
        found = {name: SAID[name], "Status": status, "Score": passed.astype(float), "Named Scores": ""}
        frames.append(pd.DataFrame({**found, "Grader Reason": reason, "Comment": ""}))
    return pd.concat(frames, axis=1)


@each("table", [in_cells, in_columns])
def test_which_prompts_output_is_judged_is_asked_and_the_others_are_hidden(table, tmp_path):
    file = tmp_path / "output.csv"
    table().to_csv(file, index=False)
    with pytest.raises(ReadingUnclear, match="may each be the output") as asked:
        open_subject(file)
    assert [dict([way.changes[0][1]])["output"] for way in asked.value.ways] == [f"{name}.output" for name in SAID]
    for name, passed in PASSED.items():
        subject = open_subject(file, columns={"output": f"{name}.output"})
        assert 1 - subject.inputs.losses.mean() == pytest.approx(passed.mean())
        seen = str(subject.dataset.show(5))
        assert SAID[name][5] in seen
        assert not any(said[5] in seen for other, said in SAID.items() if other != name)
        assert "Too long" not in seen
        assert "of another prompt" in subject.reading.left_out.values()


def test_a_name_that_repeats_without_prompts_is_refused_as_before(tmp_path):
    (tmp_path / "t.csv").write_text("id,prediction,Status,prediction\n1,cat,PASS,dog\n")
    with pytest.raises(BadInput, match="Two columns are named 'prediction'"):
        open_subject(tmp_path / "t.csv")
