"""`syncline proj`: AppProjects, with the verbs, flags and columns of `argocd proj`."""
