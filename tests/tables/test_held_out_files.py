"""Every file of the kinds that people have is read right, asked about or refused: none is misread without a word."""

import pytest

from testimate.core.errors import BadInput, ReadingUnclear
from testimate.subjects.prediction_table import read_table
from tests.tables.held_out_files import HELD_OUT
from tests.tables.more_held_out_files import MORE_HELD_OUT


@pytest.mark.parametrize("file", [*HELD_OUT, *MORE_HELD_OUT], ids=lambda file: file.name)
def test_a_file_of_another_tool_is_read_right_asked_about_or_refused(file):
    content = file.make()
    if file.asks or file.refuses:
        with pytest.raises(ReadingUnclear if file.asks else BadInput, match=file.asks or file.refuses):
            read_table(content, name=file.name)
        return
    subject = read_table(content, name=file.name)
    roles = {name: one.role for name, one in subject.reading.roles.items()}
    assert file.roles.items() <= roles.items()
    shown = {name for name, _ in subject.dataset.show(0).cells}
    assert not shown & {*file.hidden}
    assert {*file.hidden} <= {*roles, *subject.reading.left_out}
    if file.accuracy is not None:
        assert 1 - subject.inputs.losses.mean() == pytest.approx(file.accuracy)


def test_eight_of_ten_such_files_are_read_without_a_flag():
    for files in (HELD_OUT, MORE_HELD_OUT):
        assert sum(not (file.asks or file.refuses) for file in files) >= 0.8 * len(files)
