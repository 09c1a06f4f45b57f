"""`syncline install`: puts Syncline into a cluster, or prints what that takes."""
