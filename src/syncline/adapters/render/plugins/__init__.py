"""Config management plugins: Argo CD's plugin files, and running their commands shut in."""
