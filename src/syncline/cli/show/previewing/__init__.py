"""How a preview is shown: on a terminal, as markdown for pull requests, as a page, as JSON."""
