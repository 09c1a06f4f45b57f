"""Decides what a change of a repository does, from two snapshots of it: `syncline.core.preview.preview`.

Pure: `syncline.api.preview` takes the snapshots and hands over which lines of which files differ. Nothing here knows a
cluster; what only a cluster knows is said as a possibility.
"""
