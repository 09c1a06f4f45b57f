"""Rules about what happens on the cluster: drift, syncs, health (LIV)."""
