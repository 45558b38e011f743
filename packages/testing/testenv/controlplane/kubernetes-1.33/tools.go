//go:build tools

// Package controlplane holds no code. It names the programs of a control plane, so that go.mod and go.sum pin them and all that they need.
package controlplane

import (
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
	_ "k8s.io/kubernetes/cmd/kube-controller-manager"
	_ "k8s.io/kubernetes/cmd/kubectl"
)
