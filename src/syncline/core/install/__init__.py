"""What an installation consists of, as objects: the source of the plain manifests, and the measure of the chart.

Belongs here: which objects, and their fields. Does not belong here: applying them (`syncline.cli.install`), and the
objects that Argo CD owns too: CRDs, argocd-cm, argocd-secret, projects and Applications are never part of an
installation that can be removed.
"""
