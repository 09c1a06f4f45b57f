"""The command line: one file per command group; tables, trees, diffs, progress.

Belongs here: reading arguments, showing results, exit codes. Does not belong here: anything a script would want to
call. Every command imports what it needs when it runs, so that `--help` is quick.
"""
