"""Commands that stay: `up`, `demo`, `controller`, `sandbox`."""
