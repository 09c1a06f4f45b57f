"""Charts: `syncline.ports.source.Charts` for Helm repositories and registries.

Belongs here: indexes, versions, downloads, archives. Does not belong here: what a chart's templates mean. Nothing is
unpacked onto the disk: archives are kept as they came, by their digest, and read in memory.
"""
