"""The outside world: everything that touches a socket, a file, a child process, the clock or chance.

Belongs here: implementations of `syncline.ports`, one package per outside thing. Does not belong here:
decisions. Adapters import ports, model and apimachinery, and never one another; only `syncline.wiring` builds
them.
"""
