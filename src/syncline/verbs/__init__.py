"""What a person asks for: look, sync, roll back, delete, run an action, change a spec.

Functions over frozen requests, called by the command line and by an HTTP server alike. They are handed ports by
`syncline.wiring`, read and write Argo CD's own objects, and raise the errors of `syncline.verbs.errors`. They print
nothing, read no files, and know neither flags nor exit codes.
"""
