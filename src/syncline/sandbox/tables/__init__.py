"""Tables: what `kubectl get` shows, column by column, as a real API server prints it.

`syncline.sandbox.api.shapes` calls `render`; the columns of built-in kinds are in the files of this package, those of
custom kinds come from their definition. A kind nobody described shows its name and when it was made.
"""

from syncline.sandbox.tables.rendering import Printed, has_own_columns, render

__all__ = ["Printed", "has_own_columns", "render"]
