"""Rules about settings and options, of the installation and of Applications (SET)."""
