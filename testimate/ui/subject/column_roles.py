"""Which column of an uploaded table is what: its role, the reason, its first cells, and one click that changes it."""

from collections.abc import Mapping
from functools import partial

import streamlit as st

from testimate.core.reading import ROW_NUMBER, ColumnRole, Reading
from testimate.core.words import counted
from testimate.tables.cells import Cells, Column
from testimate.tables.roles import JUDGED, ONE, SHOWN, Chosen, roles_by_name
from testimate.ui.components.untrusted_text import escape_markdown, with_names

ROLES = {
    "prediction": "Prediction",
    "confidence": "Confidence",
    "label": "True answer",
    "outcome": "Right or wrong",
    "file": "File of the input",
    "text": "Text of the input",
    "input": "Input of an output",
    "output": "Output to judge",
    "reference": "Reference",
    "output_a": "Output of A",
    "output_b": "Output of B",
    "group": "Rows that belong together",
    "score": "Score",
    "show": "Shown to testers",
    "ignore": "Not used",
}
"""The roles that people choose on screen, and their names there."""

FURTHER = {"image": "Pictures", "audio": "Sounds", "boxes": "Boxes", ROW_NUMBER: "Number of the row"}
"""Roles that a column has by its content alone."""

FIRST, COLUMNS, LONGEST = 3, 40, 24
"""Rows and columns of the table that are shown, and letters of a cell."""


def chosen_roles(file: str) -> Chosen:
    """The roles that were chosen so far, in the order of the clicks."""
    return tuple((role, column) for column, role in _choices(file).items())


def _choices(file: str) -> dict[str, str]:
    found: dict[str, str] = st.session_state.get(f"roles {file}", {})
    return found


def column_roles(cells: Cells, reading: Reading | None, file: str) -> None:
    """The columns in use, each with its role to choose; those that are not used are folded, and so are all where many are.

    ``reading`` : how the table was read; None where it was not yet, and the names of the columns are all that is known.
    """
    roles = _roles(cells, reading, file)
    names = [name for name in cells.names if not roles[name].role.startswith("p_")][:COLUMNS]
    unused = [name for name in names if roles[name].role in ("ignore", ROW_NUMBER)]
    for name in names:
        if name not in unused:
            _column(cells, name, roles, file)
    chances = [name for name, one in roles.items() if one.role.startswith("p_")]
    if chances:
        st.caption(with_names(f"`{chances[0]}` to `{chances[-1]}`: chances of {counted(len(chances), 'class')}"))
    if unused:
        with st.expander(f"Not used: {counted(len(unused), 'column')}", expanded=reading is None):
            for name in unused:
                _column(cells, name, roles, file)
    if len(cells.names) - len(chances) > COLUMNS:
        st.caption(f"The first {COLUMNS} columns of {len(cells.names)}.")
    if _choices(file) and st.button("Read it as before", icon=":material/undo:", key=f"roles undone {file}"):
        st.session_state.pop(f"roles {file}")
        st.rerun()


def _roles(cells: Cells, reading: Reading | None, file: str) -> dict[str, ColumnRole]:
    """The role of each column and why, as choices name them."""
    if reading is not None:
        found = {name: ColumnRole("ignore", reading.unused.get(name, "")) for name in cells.names}
        return found | {
            name: ColumnRole("show" if one.role == SHOWN else one.role, one.reason, one.meaning)
            for name, one in reading.roles.items()
        }
    named = {column: ColumnRole(role, "its name") for role, column in roles_by_name(cells.names).items()}
    chosen = {column: ColumnRole(role, "as chosen") for column, role in _choices(file).items()}
    return {name: ColumnRole("ignore", "nothing says what it is") for name in cells.names} | named | chosen


def _column(cells: Cells, name: str, roles: Mapping[str, ColumnRole], file: str) -> None:
    """One column: the role to choose, the name and the reason, and the first cells."""
    role = roles[name]
    # a new field for every reading: the browser would keep the role of an earlier one
    key = f"role of {name} {file} {role.role} {sorted(_choices(file).items())!r}"
    options = [*dict.fromkeys((role.role, *ROLES))]
    places = st.columns([5, 7], gap="small", vertical_alignment="center")
    places[0].selectbox(
        f"Role of {name}",
        options,
        0,
        format_func=lambda one: (ROLES | FURTHER).get(one, one),
        key=key,
        on_change=partial(_choose, {other: one.role for other, one in roles.items()}, name, key, file),
        label_visibility="collapsed",
    )
    places[1].markdown(f"{with_names(f'`{name}`')} :small[:gray[{escape_markdown(role.reason)}]]")
    places[1].caption(" · ".join(map(escape_markdown, _first_cells(cells, name))))


def _first_cells(cells: Cells, name: str) -> list[str]:
    if name not in cells.columns:
        return [cells.embedded[name].name(row) or f"file {row}" for row in range(min(FIRST, cells.size))]
    texts = Column(name, cells.columns[name].slice(0, FIRST)).texts.to_pylist()
    return [text if len(text) <= LONGEST else f"{text[:LONGEST]} …" for text in texts]


def _choose(roles: Mapping[str, str], column: str, key: str, file: str) -> None:
    """Keeps a choice before the page is drawn again; a role that one column has leaves the one that had it."""
    role, choices = st.session_state[key], dict(_choices(file))
    if role in ONE:
        left = (role, "prediction", "outcome") if role in JUDGED else (role,)
        choices |= {other: "ignore" for other, one in roles.items() if one in left and other != column}
    if role in ROLES:
        choices[column] = role
    else:
        choices.pop(column, None)
    st.session_state[f"roles {file}"] = choices
