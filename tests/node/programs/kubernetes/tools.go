//go:build tools

// Package kubernetes names the version of the kubelet and kube-proxy that `make test-node` builds.
// The version is that of the control plane in tests/cluster/binaries.
package kubernetes

import (
	_ "k8s.io/kubernetes/cmd/kube-proxy"
	_ "k8s.io/kubernetes/cmd/kubelet"
)
