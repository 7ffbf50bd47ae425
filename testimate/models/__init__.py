"""Models from files, each opened safely in a process of its own."""

from testimate.models.open import OpenedModel, open_model_file

__all__ = ["OpenedModel", "open_model_file"]
