"""Container images: `syncline.ports.images` by asking their registries.

Belongs here: names of images, logins of pull secrets, the question itself. Does not belong here: pulling anything.
"""
