"""The objects of an Application as Argo CD's resource tree."""
