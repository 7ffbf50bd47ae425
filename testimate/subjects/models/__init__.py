"""Models out of files: opened safely, each in a process of its own."""

from testimate.subjects.models.model_files import OpenedModel, open_model_file

__all__ = ["OpenedModel", "open_model_file"]
