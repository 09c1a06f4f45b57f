"""An installation through its API server: the same verbs as on the Kubernetes API, asked over HTTP."""
