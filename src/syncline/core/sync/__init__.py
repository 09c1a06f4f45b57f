"""What to do in which order: plan (phases, waves, kinds, prunes) and step (what next, what is waited for and why)."""
