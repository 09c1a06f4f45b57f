"""The tests. This one file makes every folder below it part of one package for mypy."""
