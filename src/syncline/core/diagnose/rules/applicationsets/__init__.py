"""Rules about ApplicationSets and what they generate (APS)."""
