//go:build tools

// Package binaries names the version of Dex that logins by SSO are tested against.
// It holds no code of its own: the import below only keeps the requirement in go.mod.
package binaries

import _ "github.com/dexidp/dex/cmd/dex"
