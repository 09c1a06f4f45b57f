"""How the findings of a check are shown other than on a terminal: SARIF, annotations, markdown, a page."""
