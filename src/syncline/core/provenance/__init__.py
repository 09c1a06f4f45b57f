"""Who made a field of a rendered object: file and line, layer of values, patch.

Belongs here: deciding from texts and renders that others have fetched. Does not belong here: rendering
(`syncline.adapters.render`) and printing (`syncline.cli`).
"""
