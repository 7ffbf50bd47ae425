"""Backups as somebody else may have made them: edited where no checksum shows it, or damaged; used by several tests."""

import functools
import hashlib
import json
import random
import sqlite3
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ABOUT, LABELS = "testimate-backup.json", "labels.sqlite"
Members = list[tuple[str, bytes]]


def members_of(backup: Path) -> Members:
    with zipfile.ZipFile(backup) as packed:
        return [(name, packed.read(name)) for name in packed.namelist()]


def write(target: Path, members: Members) -> Path:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members:
            if name in packed.NameToInfo:
                packed.NameToInfo.pop(name)  # zipfile warns of a name that is there
            packed.writestr(name, content)
    return target


def resealed(members: Members, **said: Any) -> Members:
    """The members with a list that fits them, and ``said`` in it: whoever edits a backup can write that, too."""
    content = dict(members)
    about = json.loads(content[ABOUT])
    about["files"] = [
        {"name": name.removeprefix("files/"), "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for name, data in members
        if name.startswith("files/")
    ]
    labels = content.get(LABELS, b"")
    about["labels"] = {"name": LABELS, "bytes": len(labels), "sha256": hashlib.sha256(labels).hexdigest()}
    return [(name, json.dumps({**about, **said}).encode() if name == ABOUT else data) for name, data in members]


def with_sql(labels: bytes, script: str) -> bytes:
    """The database after an SQL script, whatever keys it breaks."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "labels.sqlite"
        path.write_bytes(labels)
        connection = sqlite3.connect(path)
        connection.executescript(script)
        connection.close()
        return path.read_bytes()


def edited(backup: Path, target: Path, script: str) -> Path:
    """The backup with its labels after an SQL script, and a list that fits them."""
    members = [(name, with_sql(data, script) if name == LABELS else data) for name, data in members_of(backup)]
    return write(target, resealed(members))


def holding(backup: Path, target: Path, *names: str) -> Path:
    """The backup with files of these names more, and a list that fits them."""
    members = members_of(backup)
    return write(target, resealed([*members[:-1], *((f"files/{name}", b"more") for name in names), members[-1]]))


SCRIPTS = (
    "CREATE TRIGGER t AFTER INSERT ON events BEGIN UPDATE events SET answer = 2; END",
    "CREATE TABLE other (a); INSERT INTO other VALUES (1)",
    "ALTER TABLE testers RENAME TO t; CREATE VIEW testers AS SELECT * FROM t",
    "ALTER TABLE testers ADD COLUMN more VARCHAR",
    "ALTER TABLE events ADD COLUMN twice INTEGER GENERATED ALWAYS AS (row * 2) VIRTUAL",
    "CREATE INDEX mine ON events (tester)",
    "DROP INDEX events_of_a_session",
    "DROP INDEX events_of_a_session; CREATE INDEX events_of_a_session ON events (session, sequence) WHERE row > 3",
    "DROP TABLE team_words",
    "DELETE FROM events WHERE row % 2",
    "DELETE FROM alembic_version",
    "UPDATE alembic_version SET version_num = '0003'",
    "UPDATE events SET row = 'three'",
    "UPDATE events SET row = x'00ff'",
    "UPDATE events SET kind = 'an' || char(0) || 'swer'",
    "UPDATE events SET kind = CAST(x'ff' AS TEXT)",
    "UPDATE events SET seconds = 9e999",
    "UPDATE events SET detail = '{'",
    "UPDATE events SET detail = '" + "[" * 3_000 + "]" * 3_000 + "'",
    "UPDATE events SET detail = '{\"a\": NaN}'",
    "UPDATE events SET sequence = 9223372036854775807 WHERE sequence = 1",
    "UPDATE events SET session = 'gone'",
    "UPDATE sessions SET id = 'another'; UPDATE events SET session = 'another'",
    "UPDATE sessions SET record = '[]'",
    "UPDATE sessions SET record = json_set(record, '$.request.budget', 'many')",
    "UPDATE sessions SET record = json_set(record, '$.level', 7)",
    "UPDATE sessions SET record = 3",
    "INSERT INTO testers SELECT 'Eve' || name, role, password_hash, created FROM testers",
    "PRAGMA application_id = 7",
    "PRAGMA journal_mode = WAL",
    "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'CREATE TABLE' WHERE name = 'events'",
    "PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage = 99999 WHERE name = 'events'",
    "PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage = 2 WHERE name = 'events'",
)
"""What somebody may do to labels: most of it is to be refused, some of it is labels like others."""

NAMES = (
    "labels.sqlite",
    "LABELS.sqlite-wal",
    "labels.moved",
    "cache/a.npy",
    "descriptions/a.json",
    "subjects",
    "subjects/more/x.part",
    "models/" + "n" * 300,
    "models/" + "/".join(["n" * 200] * 20),
    "models/aux.onnx",
    "models/LPT1",
    "models/net.",
    "models/net ",
    "models/a:b",
    "models\\net",
    "/etc/passwd",
    "../outside",
    "models/../../outside",
    "models//net",
    "./net",
    "models/\u0000",
    "models/\ud800",
)
"""Names that no file of a backup may have."""

JSON_VALUES = (
    None,
    True,
    -1,
    0,
    1e999,
    10**400,
    "",
    "text",
    [],
    {},
    [[]],
    "\ud800",
    "\u0000",
    "\x1b[31m",
    "9" * 5_000,
    {"a": 1},
)


def mutations(backup: Path, seed: int) -> Iterator[Callable[[Path], Path]]:
    """Ways to change a backup without end, each by its own random numbers; ``mutate(target)`` writes one."""
    whole, members = backup.read_bytes(), members_of(backup)
    kinds = (_flipped, _cut, _renamed, _twice, _swapped, _said_otherwise, _sql, _flipped_labels, _record, _named)
    number = 0
    while True:
        draw = random.Random(f"{seed} {number}")
        kind = kinds[number % len(kinds)]
        yield functools.partial(kind, draw, whole, members)
        number += 1


def _flipped(draw: random.Random, whole: bytes, members: Members, target: Path) -> Path:
    content = bytearray(whole)
    last = len(content) if draw.random() < 0.5 else 0  # half of them in the table of contents, which is at the end
    for _ in range(draw.randint(1, 8)):
        content[draw.randrange(max(last - 2_000, 0), len(content))] = draw.randrange(256)
    target.write_bytes(content)
    return target


def _cut(draw: random.Random, whole: bytes, members: Members, target: Path) -> Path:
    first, last = sorted(draw.randrange(len(whole)) for _ in range(2))
    target.write_bytes(whole[:first] if draw.random() < 0.5 else whole[:first] + whole[last:])
    return target


def _renamed(draw: random.Random, whole: bytes, members: Members, target: Path) -> Path:
    place = draw.randrange(len(members))
    name = draw.choice(("files/new", "new", LABELS, ABOUT, "files/../new", members[place][0].upper()))
    changed = [*members[:place], (name, members[place][1]), *members[place + 1 :]]
    return write(target, resealed(changed) if ABOUT in dict(changed) and draw.random() < 0.5 else changed)


def _twice(draw: random.Random, whole: bytes, members: Members, target: Path) -> Path:
    name, data = draw.choice(members)
    return write(target, [*members, (name, draw.choice((data, b"", data[::-1])))])


def _swapped(draw: random.Random, whole: bytes, members: Members, target: Path) -> Path:
    (first, one), (second, other) = draw.sample(members, 2)
    changed = [(name, other if name == first else one if name == second else data) for name, data in members]
    return write(target, changed)


def _said_otherwise(draw: random.Random, whole: bytes, members: Members, target: Path) -> Path:
    about = json.loads(dict(members)[ABOUT])
    _edit(draw, about)
    return write(target, [(name, json.dumps(about).encode() if name == ABOUT else data) for name, data in members])


def _edit(draw: random.Random, value: Any) -> None:
    """Replaces one value somewhere in parsed JSON, or leaves it out."""
    while True:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        if not keys:
            return
        key = draw.choice(keys)
        if isinstance(value[key], dict | list) and value[key] and draw.random() < 0.8:
            value = value[key]
            continue
        if draw.random() < 0.2:
            del value[key]
        else:
            value[key] = draw.choice(JSON_VALUES)
        return


def _sql(draw: random.Random, whole: bytes, members: Members, target: Path) -> Path:
    script = ";".join(draw.sample(SCRIPTS, draw.choice((1, 1, 1, 2))))
    changed = []
    for name, data in members:
        if name == LABELS:
            try:
                data = with_sql(data, script)
            except sqlite3.Error:  # two scripts that do not go together
                data = with_sql(data, script.split(";")[0])
        changed.append((name, data))
    return write(target, resealed(changed))


def _flipped_labels(draw: random.Random, whole: bytes, members: Members, target: Path) -> Path:
    """Bytes of the database changed or cut off, with a checksum that fits."""
    changed = []
    for name, data in members:
        if name == LABELS:
            content = bytearray(data)
            for _ in range(draw.choice((1, 4, 50))):
                content[draw.randrange(100 if draw.random() < 0.3 else len(content))] = draw.randrange(256)
            data = bytes(content[: draw.randrange(len(content))] if draw.random() < 0.2 else content)
        changed.append((name, data))
    return write(target, resealed(changed))


def _record(draw: random.Random, whole: bytes, members: Members, target: Path) -> Path:
    """One value of a session's record or of an event's detail replaced, in the database itself."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "labels.sqlite"
        path.write_bytes(dict(members)[LABELS])
        connection = sqlite3.connect(path)
        column, table = draw.choice((("record", "sessions"), ("detail", "events"), ("plan", "labeled_plans")))
        key, text = draw.choice(connection.execute(f"SELECT sequence, {column} FROM {table}").fetchall())
        value = json.loads(text)
        _edit(draw, value)
        new = json.dumps(value)
        connection.execute(f"UPDATE {table} SET {column} = ? WHERE sequence = ?", (new, key))
        connection.commit()
        connection.close()
        labels = path.read_bytes()
    return write(target, resealed([(name, labels if name == LABELS else data) for name, data in members]))


def _named(draw: random.Random, whole: bytes, members: Members, target: Path) -> Path:
    name = draw.choice(NAMES)
    member = name.replace("\ud800", "?").replace("\0", "?")
    changed = [*members[:-1], (f"files/{member}", b"more"), members[-1]]
    sealed = dict(resealed(changed))
    about = json.loads(sealed[ABOUT])
    about["files"][-1]["name"] = name
    return write(target, [(one, json.dumps(about).encode() if one == ABOUT else data) for one, data in changed])
