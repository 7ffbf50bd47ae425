"""Programs of other environments lie here, which this one cannot import."""

collect_ignore_glob = ["with_*.py"]
