// Command node is kubelet and kube-proxy in one binary, of the same versions as ../controlplane. The name of the symlink that
// starts it decides which of them runs; test/support/kubelet makes the symlinks.
//
// With it, tests run the chart on real pods without a container engine, an image registry or release downloads. This program
// does not change the behaviour of the two components.
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
		// kubelet makes its own context, which ends at a signal.
		os.Exit(cli.Run(kubelet.NewKubeletCommand(context.Background())))
	case "kube-proxy":
		os.Exit(cli.Run(kubeproxy.NewProxyCommand()))
	default:
		fmt.Fprintf(os.Stderr, "started as %q: make a symlink named kubelet or kube-proxy\n", name)
		os.Exit(2)
	}
}
