"""Tests against a whole control plane: kube-apiserver, etcd, kube-controller-manager, kube-scheduler and KWOK."""
