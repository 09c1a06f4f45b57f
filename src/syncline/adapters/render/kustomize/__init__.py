"""Kustomizations: files and bases collected, plug-ins judged, `kubectl kustomize` run, origins and errors explained."""
