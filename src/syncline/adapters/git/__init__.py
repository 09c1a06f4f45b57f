"""Repositories: `syncline.ports.source` by the git program for the network and libgit2 for reading.

Belongs here: starting git, its caches, revisions, trees of files. Does not belong here: what the files mean.
The module `syncline.adapters.git.process` is the only one that starts git.
"""
