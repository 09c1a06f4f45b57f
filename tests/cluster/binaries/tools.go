//go:build tools

// Package binaries names the version of the control plane that `make test-cluster` builds beside kube-apiserver and etcd.
// It is a module of its own so that `make test-real` neither waits for these programs nor builds again because of them.
package binaries

import (
	_ "k8s.io/kubernetes/cmd/kube-controller-manager"
	_ "k8s.io/kubernetes/cmd/kube-scheduler"
)
