//go:build tools

// Package kwok names the version of KWOK that `make test-cluster` builds.
// It holds no code of its own: the import below only keeps the requirement in go.mod.
package kwok

import _ "sigs.k8s.io/kwok/cmd/kwok"
