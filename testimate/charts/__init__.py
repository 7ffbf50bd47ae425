"""The pictures, for pages and reports alike: arrays in, a Plotly figure without a title out.

Charts of one subject share a file, each a function: ``from testimate.charts.clusters import strata_histogram``.
"""
