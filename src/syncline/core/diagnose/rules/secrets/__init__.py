"""Rules about Secrets, ConfigMaps and those who make them (SEC)."""
