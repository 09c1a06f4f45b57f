"""Builds the container image of Syncline from Debian packages, wheels and Go programs, without a container engine.

`python -m tools.image` (`make image`) is the build of record. `tools.image.build` puts three layers together: Debian
(`base`), the Python packages with helm and kubectl (`packages`), and Syncline (`program`). `tools.image.oci` writes
any image as an OCI archive and knows nothing of Syncline; tests make their small images with it.
"""
