"""Operators as small YAML rules: what becomes of objects of custom kinds.

`syncline.sandbox.behaviours.rules` says what a rule is and reads it, `syncline.sandbox.behaviours.templates` fills
texts from objects, `syncline.sandbox.behaviours.controller` plays the rules on the clock port. Rules for well-known
operators lie beside this file; docs/internals/sandbox.md describes the format.
"""
