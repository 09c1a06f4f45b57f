//go:build tools

// Package coredns names the version of CoreDNS that `make test-node` builds.
package coredns

import (
	_ "github.com/coredns/coredns"
)
