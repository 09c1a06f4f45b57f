"""From files to objects: `syncline.ports.render` for each kind of source.

Belongs here: choosing the tool, reading and running what the files need. Does not belong here: where files
come from (`syncline.adapters.git`) and what becomes of the objects.
"""
