"""From the settings of an Argo CD installation, however they are written, to one typed value and a list of mistakes.

Belongs here: what every key means and where it is read. Does not belong here: files, clusters, and what a setting does.
`parse` is the door; the keys themselves are data in `keys.yaml`.
"""
