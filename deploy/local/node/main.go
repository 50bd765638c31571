// Command node is what makes a machine a Kubernetes node: kubelet and kube-proxy, told apart by the name they are started
// under (symlinks made by test/support/node). It stands beside ../controlplane, with the same versions.
//
// It exists so that the chart is proven on real pods without a container engine, an image registry or release downloads.
// It must not change what the two components do.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"          // --logging-format=json
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // client-go metrics, as the upstream commands register them
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubeproxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

func main() {
	switch name := filepath.Base(os.Args[0]); name {
	case "kubelet":
		// It makes its own context, which signals end.
		os.Exit(cli.Run(kubelet.NewKubeletCommand(context.Background())))
	case "kube-proxy":
		os.Exit(cli.Run(kubeproxy.NewProxyCommand()))
	default:
		fmt.Fprintf(os.Stderr, "started as %q: make a symlink named kubelet or kube-proxy\n", name)
		os.Exit(2)
	}
}
