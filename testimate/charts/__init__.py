"""The pictures, for pages and reports alike: arrays in, a Plotly figure without a title out.

One chart a file, its function of the same name: ``from testimate.charts.running_estimate import running_estimate``.
"""
