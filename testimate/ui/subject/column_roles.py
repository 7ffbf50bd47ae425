"""Which column of an uploaded table is what: its role, the reason, its first rows, and one click that changes it."""

import base64
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from html import escape

import streamlit as st
from PIL import Image

from testimate.core.reading import ROW_NUMBER, ColumnRole, Reading
from testimate.core.subject import Shown, Subject
from testimate.core.words import commas, counted
from testimate.subjects.media import NamedFiles
from testimate.subjects.verdict_table import MAY_BE_JUDGE
from testimate.tables.cells import Cells, Column
from testimate.tables.hidden_evidence import MAY_BE_TRUTH
from testimate.tables.roles import JUDGED, ONE, SHOWN, Chosen, TableRows, roles_by_name
from testimate.ui.components.shown_input import crisp
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
    "judge": "Judge's grades",
    "score": "Score",
    "history": "Earlier model's results",
    "show": "Shown to testers",
    "ignore": "Not used",
}
"""The roles that people choose on screen, and their names there."""

FURTHER = {"image": "Pictures", "audio": "Sounds", "boxes": "Boxes", ROW_NUMBER: "Number of the row"}
"""Roles that a column has by its content alone."""

FILES = ("file", "image", "audio", "boxes")
"""Roles of columns whose cells are seen as what they name."""

TRUTH = "Is this the true answer?"
CONFIRMED = {
    "label": TRUTH,
    "outcome": "Does this say what is right?",
    "group": "Do these rows belong together?",
}
"""Roles that change the estimate and are therefore never taken without a click, and what is asked."""

FIRST, COLUMNS, LONGEST = 3, 40, 80
"""Rows and columns of the table that are shown, and letters of a cell."""

SIDE = 56
"""Pixels of a picture's side."""

_STYLE = """<style>
.st-key-column-roles, .st-key-unused-columns { flex-wrap: nowrap; overflow-x: auto; gap: 0; align-items: stretch; }
:is(.st-key-column-roles, .st-key-unused-columns) > * { min-width: 12rem; border: 1px solid #80808040; border-left-width: 0; }
:is(.st-key-column-roles, .st-key-unused-columns) > :first-child { border-left-width: 1px; }
[class*="st-key-column-"][class*="-of-table"] { padding: 0.5rem 0.75rem 0; gap: 0.25rem; height: 100%; }
[class*="st-key-column-"][class*="-asked"] { background: #FFC10726; }
[class*="-of-table"] [data-testid="stMarkdownContainer"] p { overflow-wrap: anywhere; }
[class*="-of-table"] > [data-testid="stElementContainer"]:last-child { margin-top: auto; }
.column-cells > div { height: 2rem; display: flex; align-items: center; gap: 0.5rem; border-top: 1px solid #80808040;
  margin: 0 -0.75rem; padding: 0 0.75rem; font-size: 0.875rem; overflow: hidden; }
.column-cells span { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; unicode-bidi: plaintext; }
.column-cells.seen > div { height: 4.5rem; }
.column-cells img { height: 56px; max-width: 84px; object-fit: contain; border-radius: 4px; }
@media (max-width: 640px) { :is(.st-key-column-roles, .st-key-unused-columns) > * { min-width: 10.5rem; } }
</style>"""


@dataclass(frozen=True)
class Table:
    """A table whose columns are shown.

    Attributes
    ----------
    cells : of its columns. subject : how it was read; None where it was not yet, and the names of the columns are all that
        is known. file : names this upload.
    """

    cells: Cells
    subject: Subject | None
    file: str

    @property
    def reading(self) -> Reading | None:
        """What was understood of it."""
        return None if self.subject is None else self.subject.reading


def chosen_roles(file: str) -> Chosen:
    """The roles that were chosen so far, in the order of the clicks."""
    return tuple((role, column) for column, role in _choices(file).items())


def _choices(file: str) -> dict[str, str]:
    found: dict[str, str] = st.session_state.get(f"roles {file}", {})
    return found


def column_roles(table: Table) -> None:
    """The columns in use side by side, each with its role to choose; those that are not used are folded.

    Those that are asked about come first: with many columns they would be out of sight. So do they come before the first
    ``COLUMNS`` are taken: a question that is not on the page could not be answered.
    """
    roles = _roles(table)
    asked = asked_columns(table)
    others = [name for name in table.cells.names if name not in asked and not roles[name].role.startswith("p_")]
    names = [*asked, *others][:COLUMNS]
    unused = [name for name in names if roles[name].role in ("ignore", ROW_NUMBER) and name not in asked]
    st.html(_STYLE)
    _columns([name for name in names if name not in unused], roles, table, key="column-roles")
    chances = [name for name, one in roles.items() if one.role.startswith("p_")]
    if chances:
        st.caption(with_names(f"`{chances[0]}` to `{chances[-1]}`: chances of {commas(len(chances))} classes"))
    if unused:
        with st.expander(f"Not used: {counted(len(unused), 'column')}", expanded=table.subject is None):
            _columns(unused, roles, table, key="unused-columns")
    if len(table.cells.names) - len(chances) > COLUMNS:
        st.caption(f"The first {COLUMNS} columns of {len(table.cells.names)}.")
    if _choices(table.file) and st.button(
        "Read it as before", icon=":material/undo:", type="tertiary", key=f"roles undone {table.file}"
    ):
        st.session_state.pop(f"roles {table.file}")
        st.rerun()


def asked_columns(table: Table) -> tuple[str, ...]:
    """The columns whose role changes the estimate and was neither chosen nor confirmed, and those that may be the truth."""
    reading = table.reading
    if reading is None:
        return ()
    known = {*_choices(table.file), *_confirmed(table.file)}
    found = [name for name, one in reading.roles.items() if one.role in CONFIRMED]
    found += [name for name, why in reading.left_out.items() if why.startswith(MAY_BE_TRUTH)]
    return tuple(name for name in table.cells.names if name in found and name not in known)


def _confirmed(file: str) -> tuple[str, ...]:
    found: tuple[str, ...] = st.session_state.get(f"roles confirmed {file}", ())
    return found


def _roles(table: Table) -> dict[str, ColumnRole]:
    """The role of each column and why, as choices name them."""
    reading = table.reading
    if reading is not None:
        found = {name: ColumnRole("ignore", reading.unused.get(name, "")) for name in table.cells.names}
        return found | {
            name: replace(one, role="show" if one.role == SHOWN else one.role, reason=_reason(one, table.subject))
            for name, one in reading.roles.items()
        }
    named = {column: ColumnRole(role, "by its name") for role, column in roles_by_name(table.cells.names).items()}
    chosen = {column: ColumnRole(role, "as chosen") for column, role in _choices(table.file).items()}
    return {name: ColumnRole("ignore", "not recognized") for name in table.cells.names} | named | chosen


def _reason(role: ColumnRole, subject: Subject | None) -> str:
    """Why a column has its role: what its cells are, or how many of them name a file that is there."""
    media = subject.dataset.media if subject is not None and isinstance(subject.dataset, TableRows) else None
    if role.role in FILES and isinstance(media, NamedFiles):
        found, size = len(media.matched.files) - len(media.matched.missing), len(media.matched.files)
        return f"names match {commas(found)} of {commas(size)} files"
    reason = f"by {role.reason}" if role.reason.startswith("its name") else role.reason
    return f"{role.meaning}, {reason}" if role.meaning else reason


def _columns(names: Sequence[str], roles: Mapping[str, ColumnRole], table: Table, *, key: str) -> None:
    seen = _seen(roles, table)
    with st.container(horizontal=True, key=key):
        for name in names:
            _column(name, roles, table, seen)


def _column(name: str, roles: Mapping[str, ColumnRole], table: Table, seen: Sequence[Shown]) -> None:
    """One column: its name, the role to choose, the reason or a question, and the first cells."""
    role, file = roles[name], table.file
    asked = name in asked_columns(table)
    place = list(table.cells.names).index(name)
    # a new field for every reading: the browser would keep the role of an earlier one
    key = f"role of {name} {file} {role.role} {sorted(_choices(file).items())!r}"
    choose = partial(_choose, {other: one.role for other, one in roles.items()}, name, file)
    with st.container(key=f"column-{place}-of-table{'-asked' if asked else ''}"):
        st.markdown(with_names(f"`{name}`"))
        st.selectbox(
            f"Role of {name}",
            [*dict.fromkeys((role.role, *ROLES))],
            0,
            format_func=lambda one: (ROLES | FURTHER).get(one, one),
            key=key,
            on_change=lambda: choose(st.session_state[key]),
            label_visibility="collapsed",
        )
        if asked:
            st.caption(CONFIRMED.get(role.role, TRUTH))
            # what stands already is confirmed, not chosen: a choice would make another subject of the same table
            stands = partial(_confirm, name, file)
            used = role.role in CONFIRMED
            with st.container(horizontal=True, gap="small"):
                st.button("Yes", key=f"yes {name} {file}", on_click=stands if used else partial(choose, "label"))
                no = partial(choose, "ignore") if used else stands
                st.button("No, ignore it", key=f"no {name} {file}", on_click=no)
        elif role.reason == MAY_BE_JUDGE:
            st.caption("Are these a judge's grades?")
            st.button("Yes", key=f"yes {name} {file}", on_click=partial(choose, "judge"))
        else:
            st.caption(escape_markdown(role.reason))
        st.html(_cells_html(name, role, table, seen))


def _seen(roles: Mapping[str, ColumnRole], table: Table) -> tuple[Shown, ...]:
    """The first inputs, if a column names them and they are pictures."""
    if table.subject is None or not any(one.role in FILES for one in roles.values()):
        return ()
    shown = tuple(table.subject.dataset.show(row) for row in range(min(FIRST, len(table.subject.dataset))))
    return shown if any(one.image is not None for one in shown) else ()


def _cells_html(name: str, role: ColumnRole, table: Table, seen: Sequence[Shown]) -> str:
    """The first cells as HTML, with their pictures where the column names some."""
    lines = []
    for row, text in enumerate(_first_cells(table.cells, name)):
        picture = seen[row].image if role.role in FILES and row < len(seen) else None
        image = "" if picture is None else f'<img alt="" src="{_data_url(picture)}">'
        lines.append(f"<div>{image}<span>{escape(text)}</span></div>")
    return f'<div class="column-cells{" seen" if seen else ""}">{"".join(lines)}</div>'


def _data_url(picture: bytes) -> str:
    """A small picture in an address of its own."""
    packed = io.BytesIO()
    Image.fromarray(crisp(picture, 2 * SIDE)).save(packed, format="PNG")
    return f"data:image/png;base64,{base64.b64encode(packed.getvalue()).decode()}"


def _first_cells(cells: Cells, name: str) -> list[str]:
    if name not in cells.columns:
        return [cells.embedded[name].name(row) or f"file {row}" for row in range(min(FIRST, cells.size))]
    texts = Column(name, cells.columns[name].slice(0, FIRST)).texts.to_pylist()
    return [text if len(text) <= LONGEST else f"{text[:LONGEST]} …" for text in texts]


def _confirm(column: str, file: str) -> None:
    """Keeps that a column is what it was taken for."""
    st.session_state[f"roles confirmed {file}"] = (*_confirmed(file), column)


def _choose(roles: Mapping[str, str], column: str, file: str, role: str) -> None:
    """Keeps a choice before the page is drawn again; a role that one column has leaves the one that had it."""
    choices = dict(_choices(file))
    if role in ONE:
        left = (role, "prediction", "outcome") if role in JUDGED else (role,)
        choices |= {other: "ignore" for other, one in roles.items() if one in left and other != column}
    if role in ROLES:
        choices[column] = role
    else:
        choices.pop(column, None)
    st.session_state[f"roles {file}"] = choices
