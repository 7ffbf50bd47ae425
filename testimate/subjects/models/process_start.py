"""Starts the process a model runs in, with no more of this program's environment than it needs, and ends it."""

import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from testimate.subjects.models.shared_memory import SharedMemory
from testimate.subjects.models.watch import Watch

COMMAND = ("-P", "-m", "testimate.subjects.models.worker")

KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "TZ", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "LD_LIBRARY_PATH", "SYSTEMROOT")
"""Of this program's environment; the rest may hold secrets."""

NOWHERE = dict.fromkeys(
    ("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "KERAS_HOME"),
    os.devnull,
)
"""A model's process has no home: whoever runs Testimate, it neither reads their settings nor looks for a folder of theirs."""

SETTINGS = {
    **NOWHERE,
    "OPENBLAS_NUM_THREADS": "1",  # numpy would start threads before they can be confined; frameworks bring their own
    "KERAS_BACKEND": "tensorflow",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    # Twice as fast. On one computer the same batch gives the same bits, in every process and at every time, so that a killed
    # run ends as one that was not. Another processor (its vectors choose the kernels), another number of cores, another
    # version of the framework, or CUDA may give other last bits: computers agree as closely as rounding lets them.
    "TF_ENABLE_ONEDNN_OPTS": "1",
    "TORCHINDUCTOR_CACHE_DIR": os.path.abspath(os.sep),  # a folder that is there; nothing can be written into it
    "PYTHONDONTWRITEBYTECODE": "1",
    "ORT_LOAD_CONFIG_FROM_MODEL": "0",
}


def started(settings: Mapping[str, str], memory: SharedMemory | None) -> "subprocess.Popen[bytes]":
    """A process that waits for its limits; ``settings`` : of its device. ``memory`` : that it shares."""
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    own = str(Path(__file__).parents[3])  # where this package lies; "" in sys.path, the current folder, is left out
    places = dict.fromkeys([own, *(os.path.abspath(place) for place in sys.path if place)])
    return subprocess.Popen(
        [sys.executable, *COMMAND],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**kept, **SETTINGS, **settings, "PYTHONPATH": os.pathsep.join(places)},
        cwd=os.path.abspath(os.sep),
        pass_fds=() if memory is None else (memory.handle,),
        start_new_session=True,  # Ctrl-C reaches this process alone; the worker ends when its input does
    )


def end(process: "subprocess.Popen[bytes]", watch: Watch, memory: SharedMemory | None) -> None:
    """Ends the process, and gives back what was held for it."""
    watch.stop()
    if memory is not None:
        os.close(memory.handle)
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):  # what was not sent yet needs no sending any more
                pipe.close()
