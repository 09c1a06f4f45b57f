"""The rules, one cause per file, in a folder per thing that they are about.

Belongs here: `RULE`, what is known about one cause, and the checks that look for it. Does not belong here: what several
rules share, which stands beside this folder. Who adds a file lists its checks in `syncline.core.diagnose.registry`.
"""
