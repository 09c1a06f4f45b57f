"""Programs for those who change Syncline: they write data files and pages that are kept in the repository."""
