"""Rules about comparing, and about ignoring differences (DIF)."""
