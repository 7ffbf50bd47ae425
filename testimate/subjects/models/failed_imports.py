"""Tells a library that cannot start on this computer from a model's file that is at fault."""

from types import TracebackType


def happened_at_import(error: BaseException) -> bool:
    """Whether an error was raised while a module was imported, that is, by code at the top level of one.

    Python removes its own import system from tracebacks, so a frame of a module's top level is what is left to see.

    >>> happened_at_import(ImportError()), happened_at_import(OSError())
    (True, False)
    """
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_name == "<module>":
            return True
        trace = trace.tb_next
    return isinstance(error, ImportError)
