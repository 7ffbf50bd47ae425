"""Tens of thousands of command lines that nobody should type: each ends in a result or a sentence, none in a traceback."""

import itertools
import os

import pytest

from tests.cli.malformed_lines import lines, write_files


@pytest.mark.parametrize("count", [150, pytest.param(50_000, marks=pytest.mark.slow)])
def test_whatever_is_typed_ends_in_a_result_or_in_a_sentence(command, tmp_path, monkeypatch, count):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    files = write_files(tmp_path)
    for line in itertools.islice(lines(int(os.environ.get("TESTIMATE_SEED", "1")), files, tmp_path), count):
        try:
            said = command(*line)
        except Exception as error:
            raise AssertionError(f"testimate {line!r} ended in {error!r}") from error
        assert said.status in (0, 1, 2, 3), line
        if said.status == 2:
            assert said.err.strip(), line
            assert "\x1b" not in said.err, line
