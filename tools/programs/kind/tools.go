//go:build tools

// Package tools pins the version of kind that is built where none is installed.
package tools

import _ "sigs.k8s.io/kind"
