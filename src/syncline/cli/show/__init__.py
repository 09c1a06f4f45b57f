"""How things are printed: tables, trees, differences, progress."""
