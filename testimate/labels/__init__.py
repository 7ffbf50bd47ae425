"""Every vote of every tester, on disk before it is acknowledged."""

from testimate.labels.sql_store import SqlStore

__all__ = ["SqlStore"]
