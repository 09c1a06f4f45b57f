//go:build tools

// Package runc names the version of runc that `make test-node` builds.
package runc

import (
	_ "github.com/opencontainers/runc"
)
