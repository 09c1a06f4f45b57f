//go:build tools

// Package programs names the versions of what Argo CD needs beside itself: kustomize, and a redis in Go.
package programs

import _ "sigs.k8s.io/kustomize/kustomize/v5"
