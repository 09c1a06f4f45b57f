"""A repository as `check` and `preview` see it: its files, its Applications, what those render, what is left out.

Taken by `snapshot`, which `syncline.api.check`, `preview` and `branches` call; `memory` is what one look leaves for the
next. Does not belong here: what is wrong with it, which the rules of `syncline.core.diagnose` say.
"""
