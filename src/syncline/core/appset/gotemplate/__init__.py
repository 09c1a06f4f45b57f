"""Go's text/template: reads a template text and renders it with values, with Go's results and Go's error texts.

Belongs here: the language itself, its built-in functions and how Go prints values. Does not belong here: the functions
of Sprig and Argo CD, which are `syncline.core.appset.functions`, and what is rendered.
"""
