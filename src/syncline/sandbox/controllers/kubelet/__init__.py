"""Pods on their nodes: images, containers, probes, restarts, status."""
