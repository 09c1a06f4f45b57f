"""The machine that reconciles keys: queue, lanes, leases, shards. It knows nothing of Applications."""
