"""Every vote of every tester, on disk before anybody is told that it was taken."""

from testimate.labels.sql_store import SqlStore

__all__ = ["SqlStore"]
