"""Measurements, one module per subject; `python -m bench` runs them and prints one table.

Each module offers `rows()`, which measures and returns `bench.rows.Row` values. Every figure stands beside the raw cost
of the same work in the same run, because figures of two machines, or of two hours, do not compare. Nothing here fails
a test: a busy machine is not a bug.
"""
