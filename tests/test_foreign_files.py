"""The comparison of other people's files with their README finds what is read otherwise, what fails, and what has no check."""

from equality.foreign import asks, census, compared, read


def test_a_file_that_is_read_otherwise_than_its_readme_says_is_named(tmp_path):
    rows = "".join(f"{'cat' if n % 3 else 'dog'},{0.5 + n / 100}\n" for n in range(40))
    for name in ("right.csv", "wrong.csv", "silent.csv", "new.csv"):
        (tmp_path / name).write_text(f"prediction,conf\n{rows}")
    votes = "".join(f"{n},{'cat' if n % 4 else 'dog'}\n" for n in range(40))
    (tmp_path / "y_truth.csv").write_text(f"row,label\n{votes}")
    agree = sum((n % 3 == 0) == (n % 4 == 0) for n in range(40)) / 40
    checks = {
        "right.csv": census("y_truth.csv", agree),
        "wrong.csv": read(prediction="prediction", confidence="prediction"),
        "silent.csv": asks("--read rows=each"),
    }
    found = compared(tmp_path, checks)
    assert found.pop("right.csv") == ""
    assert found.pop("new.csv") == "has no check"
    assert found.pop("silent.csv").startswith("AssertionError: nothing was asked")
    assert found.pop("wrong.csv").startswith("AssertionError")
    assert not found
