"""Ratios against named peers and limits, in one process, interleaved: ``python -m benchmarks [NAME ...]``."""
