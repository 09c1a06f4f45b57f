"""The web side: Argo CD's REST paths, a live stream, and a page that shows what is going on.

Belongs here: HTTP in, JSON and HTML out. Does not belong here: decisions and writes to clusters; what is served comes
from the controller's live view. Read-only and on the loopback address for now.
"""
