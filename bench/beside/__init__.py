"""The same fleet delivered by Argo CD and by Syncline, in one run on one machine."""
