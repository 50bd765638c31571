// Command controlplane is a Kubernetes control plane for a cluster without nodes in one binary: etcd, kube-apiserver, kubectl
// and `controllers`, the part of kube-controller-manager that such a cluster needs. The name of the symlink that starts it decides
// which of them runs; deploy/local/parts/controlplane-build.ts makes the symlinks.
//
// With it, `npm run up` and the tests run the real components without a container engine, an image registry or release
// downloads: it needs only published Go modules. This program does not change the behaviour of the components.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	_ "k8s.io/client-go/plugin/pkg/client/auth" // kubectl against other clusters: exec and OIDC credentials
	"k8s.io/component-base/cli"
	"k8s.io/component-base/logs"
	_ "k8s.io/component-base/logs/json/register"          // --logging-format=json
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // client-go metrics, as the upstream commands register them
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	kubectlutil "k8s.io/kubectl/pkg/cmd/util"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	"zonestead.dev/deploy/local/controlplane/controllers"
)

func main() {
	name := filepath.Base(os.Args[0])
	if name == "etcd" {
		etcdmain.Main(os.Args)
		return
	}
	os.Exit(run(name))
}

func run(name string) int {
	var command *cobra.Command
	switch name {
	case "kube-apiserver":
		command = apiserver.NewAPIServerCommand()
	case "controllers":
		command = controllers.NewCommand()
	case "kubectl":
		// The same as cmd/kubectl: -v works before the flags are parsed, and each error is printed once, in kubectl's words.
		_, _ = logs.GlogSetter(kubectl.GetLogVerbosity(os.Args))
		kubectlutil.CheckErr(cli.RunNoErrOutput(kubectl.NewDefaultKubectlCommand()))
		return 0
	default:
		fmt.Fprintf(os.Stderr, "started as %q: make a symlink named etcd, kube-apiserver, kubectl or controllers\n", name)
		return 2
	}
	return cli.Run(command)
}
