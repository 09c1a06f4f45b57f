"""ApplicationSets with a rolling sync that Argo CD and Syncline play one after the other, and what is compared."""
