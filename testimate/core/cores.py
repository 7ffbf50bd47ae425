"""How many cores there are to compute on."""

import os


def cores() -> int:
    """Cores this process may use: fewer than the machine's in a container or under taskset, where the system says so."""
    allowed = getattr(os, "sched_getaffinity", None)  # Linux
    return len(allowed(0)) if allowed is not None else os.cpu_count() or 1
