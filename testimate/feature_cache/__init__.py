"""Runs a subject's model over its data once and keeps what the layers said."""

from testimate.feature_cache.cache import FeatureCache

__all__ = ["FeatureCache"]
