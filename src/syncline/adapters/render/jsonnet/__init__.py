"""Jsonnet files, evaluated by a worker process that can be killed."""
