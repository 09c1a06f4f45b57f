"""What was read of all clusters, as checks see it: which kinds, what is kept of an object, and how it is found."""
