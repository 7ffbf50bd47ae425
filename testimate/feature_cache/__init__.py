"""Runs a subject's model over its data once and keeps the outputs of its layers."""

from testimate.feature_cache.cache import FeatureCache
from testimate.feature_cache.filling import ENGINES, Engine, Recomputed
from testimate.feature_cache.records import CacheRecord, Damage

__all__ = ["ENGINES", "CacheRecord", "Damage", "Engine", "FeatureCache", "Recomputed"]
