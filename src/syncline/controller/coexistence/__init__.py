"""Life beside Argo CD: which Applications are ours, and how our verdicts compare with its own."""
