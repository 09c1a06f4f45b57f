"""Helm charts: values collected, dependencies fetched, `helm template` run in a private folder, errors explained."""
