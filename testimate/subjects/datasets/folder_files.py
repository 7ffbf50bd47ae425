"""The files of a folder by name; no link is followed."""

import os
from pathlib import Path

from testimate.core.errors import BadInput
from testimate.core.visible_text import is_line
from testimate.subjects.datasets import limits
from testimate.subjects.datasets.member_names import is_hidden
from testimate.subjects.datasets.small_files import file_content


class FolderFiles:
    """All plain files under a folder, in order of their names; hidden ones are left out.

    ``names`` : with "/" between folders. ``sizes`` : bytes by name. BadInput where there is a link, a pipe or a device,
    or more than ``limits.MAX_FILES``.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        try:
            sizes = _sizes(folder)
        except OSError as error:
            raise BadInput(
                f"The folder {folder.name!r:.100} could not be read ({error.strerror}); expected one that exists and "
                "may be read. Check its name and permissions."
            ) from error
        self.names = tuple(sorted(sizes))
        self.sizes = sizes

    def read(self, name: str) -> bytes:
        """The file's bytes, at most ``limits.MAX_ITEM_BYTES``; BadInput otherwise."""
        return file_content(self._folder / name, limits.MAX_ITEM_BYTES)


def _sizes(folder: Path) -> dict[str, int]:
    waiting, found, seen = [""], dict[str, int](), 0
    while waiting:
        inside = waiting.pop()
        with os.scandir(folder / inside) as entries:
            for entry in entries:
                seen += 1
                if seen > limits.MAX_FILES:
                    raise limits.too_large("or more files and folders", seen, limits.MAX_FILES)
                if is_hidden(entry.name):
                    continue
                name = inside + entry.name
                if entry.is_symlink():
                    raise BadInput(
                        f"{name!r:.100} is a link; expected files in the folder itself. Copy what it "
                        "points to in its place."
                    )
                if not is_line(name):
                    raise BadInput(
                        f"The file name {name!a:.100} is not printable; expected printable characters. Rename it."
                    )
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(name + "/")
                elif entry.is_file(follow_symlinks=False):
                    found[name] = entry.stat(follow_symlinks=False).st_size
                else:
                    raise BadInput(f"{name!r:.100} is a pipe or a device; expected files. Take it out of the folder.")
    return found
