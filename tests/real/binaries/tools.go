//go:build tools

// Package binaries names the versions of kube-apiserver and etcd that `make test-real` builds.
// It holds no code of its own: the imports below only keep the requirements in go.mod.
package binaries

import (
	_ "go.etcd.io/etcd/server/v3"
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
)
