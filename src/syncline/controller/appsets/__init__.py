"""ApplicationSets as a subject of the loop: observes what generators ask for, and writes Applications.

Belongs here: reads and writes for ApplicationSets. What they mean is decided in `syncline.core.appset`.
"""
