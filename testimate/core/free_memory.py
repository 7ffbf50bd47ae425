"""How much memory this process may still take."""

import os
from pathlib import Path

PLENTY = 1 << 40
"""What is said where the system says nothing."""

KILOBYTE = 1024


def free_bytes(
    system: Path = Path("/proc/meminfo"), group: Path = Path("/sys/fs/cgroup"), *, plenty: int = PLENTY
) -> int:
    """Bytes that are free, or freed when they are asked for: of the machine, or of the container where that allows less.

    ``system``, ``group`` : where Linux says it; ``plenty`` where nothing does.
    """
    return max(min(_of_machine(system, plenty), _of_container(group, plenty)), 0)


def _of_machine(system: Path, plenty: int) -> int:
    try:
        for line in system.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * KILOBYTE
    except (OSError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):  # Windows has no sysconf
        return plenty


def _of_container(group: Path, plenty: int) -> int:
    """What a limit of control groups leaves, the pages of files that may be dropped counted as free."""
    try:
        most = (group / "memory.max").read_text().strip()
        if most == "max":
            return plenty
        used = int((group / "memory.current").read_text())
        kept = dict(line.split() for line in (group / "memory.stat").read_text().splitlines())
        return int(most) - used + int(kept.get("inactive_file", 0))
    except (OSError, ValueError):
        return plenty
