"""What is known about kinds, as data: `<group>/<Kind>/health.yaml`, with cases beside it.

Read by `syncline.core.health.knowledge`. `_` in a folder's name stands for anything. Cases are for the tests and stay
out of the wheel.
"""
