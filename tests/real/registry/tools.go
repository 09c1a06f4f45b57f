//go:build tools

// Package registry names the version of the container registry that `make test-real` builds.
// It holds no code of its own: the import below only keeps the requirement in go.mod.
package registry

import _ "github.com/distribution/distribution/v3/cmd/registry"
