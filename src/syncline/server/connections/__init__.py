"""Connections of the web server: how many there may be, how long each may take, and who lets them in."""
