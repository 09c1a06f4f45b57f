"""Actions that objects of known kinds offer without any setting: restart, scale, pause, run now and their like."""
