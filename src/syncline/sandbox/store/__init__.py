"""Objects as bytes with one version counter, the log of changes, and the folder that outlives the process."""
