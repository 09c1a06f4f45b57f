"""A cluster that manages itself, wave after wave: everything is green, and a setting in it does nothing."""
