"""A platform with 200 apps in three environments, of which 117 are not OK."""
