"""Tests that run against a real kube-apiserver and etcd, built from their own Go modules."""
