"""What Python programs call: render, compare, assess and plan on files and objects, without a cluster.

`syncline/__init__.py` hands these functions on, and the command line calls the same ones, so both give the same
answers. They are synchronous, take paths, dicts or what another of them returned, return frozen values, and raise
`syncline.model.errors.SynclineError` with one sentence. Nothing here prints: what is worth telling is in `notes` or
`warnings` of the result.
"""
