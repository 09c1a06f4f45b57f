"""From symptoms to causes: rules look at a snapshot and yield findings with evidence and a fix.

`syncline.core.diagnose.explain` runs them for one Application; one cause per file in `rules`.
"""
