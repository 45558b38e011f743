//go:build tools

// Package tools pins the version of Helm that `tools/programs/helm.ts` builds where none is installed.
package tools

import _ "helm.sh/helm/v3/cmd/helm"
