"""Fills a cache by Ray on a cluster that the engine starts for itself."""

import sys
from functools import partial
from pathlib import Path

from testimate.feature_cache import FeatureCache
from testimate.feature_cache.filling import ENGINES
from tests.feature_cache.slow_run import Layers, subject_of


def alone(folder: Path) -> None:
    """A cluster that the engine starts for itself; says the addresses that were listened on meanwhile."""
    before, during = listening(), set()

    def look(done: int, total: int, what: str = "") -> None:
        during.update(listening() - before)

    FeatureCache(folder / "ray").outputs(
        subject_of(partial(Layers, seconds=0.05)), roles=("LHL",), engine=ENGINES["ray"](), progress=look, batch_size=64
    )
    say("listened on", *sorted({address for address, _ in during}))


def listening() -> set[tuple[str, str]]:
    """Addresses and ports that this machine listens on, as the kernel writes them."""
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(table).read_text().splitlines()[1:]:
            address, state = line.split()[1], line.split()[3]
            if state == "0A":
                found.add((address.split(":")[0], address.split(":")[1]))
    return found


def say(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    alone(Path(sys.argv[1]))
