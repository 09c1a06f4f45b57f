"""One cause per file; each `look(assessment, decision)` yields findings."""
