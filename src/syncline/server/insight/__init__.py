"""What is worked out for those who look: diagnoses, looks, plans, blames, branches, waves, timelines."""
