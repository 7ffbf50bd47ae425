"""Compare this checkout with the commit in ``base``: ``make equal``, and ``make equal SCREENS=1`` for the screens.

What the base gave is recorded once for each state of the recorder, and kept in ``.equal/``.
"""

import argparse
import fnmatch
import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from equality.compare import compare, read_intended, summary
from equality.pictures import picture_differences

HERE = Path(__file__).parent
ROOT = HERE.parent
KEPT = ROOT / ".equal"
LOOKED_AT = KEPT / "pictures"


def main() -> int:
    """Record what is not recorded yet, compare, and return 1 if something differs that was not intended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--screens", action="store_true", help="the screens as well")
    parser.add_argument("--only", default="*", help="a pattern of the names of cases, such as 'foreign/*'")
    parser.add_argument(
        "--base", default=(HERE / "base").read_text(encoding="utf-8").strip(), help="the commit to compare with"
    )
    chosen = parser.parse_args()
    begun = time.monotonic()
    shutil.rmtree(LOOKED_AT, ignore_errors=True)
    failed = 0
    for kind in ("cases", *(["screens"] if chosen.screens else [])):
        base = recorded_base(chosen.base, kind, chosen.only)
        now = KEPT / "now" / kind
        shutil.rmtree(now, ignore_errors=True)
        record(ROOT, now, kind, chosen.only)
        pictures = picture_differences(base, now, LOOKED_AT)
        texts = compare(base, now, read_intended(HERE / "intended.toml"), pictures)
        count = len(list(now.rglob("*.json")))
        print("\n".join(texts))
        print(f"{count} {kind}, {len(texts)} differences from {chosen.base[:8]} {summary(texts) or ''}".rstrip() + ".")
        failed += len(texts)
    print(f"{time.monotonic() - begun:.0f} s.")
    return 1 if failed else 0


def recorded_base(commit: str, kind: str, only: str) -> Path:
    """Return the folder of what the base gave, recorded now if it was not."""
    commit = git("rev-parse", commit)
    recorder = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(HERE.glob("*.py")))).hexdigest()[:8]
    whole = KEPT / f"{commit[:12]}-{recorder}" / kind
    if whole.is_dir():
        return whole if only == "*" else part(whole, only)
    tree = KEPT / "trees" / commit[:12]
    if not tree.is_dir():
        git("worktree", "prune")
        git("worktree", "add", "--detach", str(tree), commit)
    try:
        if only != "*":
            some = KEPT / "base-part" / kind
            shutil.rmtree(some, ignore_errors=True)
            record(tree, some, kind, only)
            return some
        unfinished = whole.with_name(f"{kind}.unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        record(tree, unfinished, kind, only)
        unfinished.rename(whole)
        return whole
    finally:
        git("worktree", "remove", "--force", str(tree))


def part(whole: Path, only: str) -> Path:
    """Return a folder with those cases alone that are asked for."""
    some = KEPT / "base-part" / whole.name
    shutil.rmtree(some, ignore_errors=True)
    for path in whole.rglob("*.json"):
        name = path.relative_to(whole)
        if fnmatch.fnmatchcase(str(name)[: -len(".json")], only):
            (some / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, some / name)
            if path.with_suffix("").is_dir():
                shutil.copytree(path.with_suffix(""), (some / name).with_suffix(""))
    return some


def record(tree: Path, out: Path, kind: str, only: str) -> None:
    """Run the recorder on a checkout."""
    command = [sys.executable, "-m", "equality.record", "--tree", str(tree), "--out", str(out), "--only", only]
    subprocess.run(
        [*command, *(["--screens"] if kind == "screens" else [])], cwd=ROOT, env=dict(os.environ), check=False
    )


def git(*words: str) -> str:
    """Return what git says."""
    return subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
