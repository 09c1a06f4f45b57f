"""The routes, a file for each group, each with its endpoints at its end; `syncline.server.table` puts them together."""
