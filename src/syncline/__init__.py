"""Syncline: GitOps delivery for Kubernetes that explains itself.

The public face of the package is small on purpose; everything else is reached through the command line.
"""

__version__ = "0.1.0"

__all__ = ["__version__"]
