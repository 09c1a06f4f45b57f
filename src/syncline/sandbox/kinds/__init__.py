"""What is particular about single built-in kinds: what the server fills in, what it refuses, what may not change.

One file per family of kinds; `syncline.sandbox.kinds.registry` finds the rules of a kind. A rule gets objects it may
change at the top level and in metadata, and returns causes in the API server's words.
"""
