"""Rules about apps on the cluster: drift, syncs, health (LIV)."""
