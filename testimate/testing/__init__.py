"""Checks for the techniques, dataset readers and model readers of other packages, to use in their own tests."""

from testimate.testing.contracts import check_claims, check_dataset_reader, check_model_reader, check_selector

__all__ = ["check_claims", "check_dataset_reader", "check_model_reader", "check_selector"]
