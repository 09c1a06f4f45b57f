//go:build tools

// Package helm names the version of helm that images and CI use.
// It holds no code of its own: the import below only keeps the requirement in go.mod.
package helm

import _ "helm.sh/helm/v4/cmd/helm"
