// Command certmanager is cert-manager's controller and its cainjector in one binary. The name of the symlink that starts it
// decides which of them runs; deploy/local/parts/certmanager-build.ts makes the symlinks.
//
// With it, `npm run up -- --cert-manager` and the tests run the real controllers without a container image. The commands of
// cert-manager are in modules that the Go proxy does not have, but their controllers are public packages. This program does
// not change the behaviour of the controllers.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	logf "github.com/cert-manager/cert-manager/pkg/logs"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	logsapi "k8s.io/component-base/logs/api/v1"
	ctrl "sigs.k8s.io/controller-runtime"
)

func main() {
	logf.InitLogs()
	defer logf.FlushLogs()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	var command *cobra.Command
	switch name := filepath.Base(os.Args[0]); name {
	case "cert-manager":
		command = controllerCommand()
	case "cainjector":
		command = cainjectorCommand()
	default:
		fmt.Fprintf(os.Stderr, "started as %q: make a symlink named cert-manager or cainjector\n", name)
		os.Exit(2)
	}
	if err := command.ExecuteContext(ctx); err != nil {
		os.Exit(1)
	}
}

// withLogs makes a command of run, with cert-manager's logging flags and the address of one cluster.
func withLogs(name string, flags func(*pflag.FlagSet), run func(ctx context.Context) error) *cobra.Command {
	logging := logsapi.NewLoggingConfiguration()
	command := &cobra.Command{
		Use:          name,
		Args:         cobra.NoArgs,
		SilenceUsage: true,
		RunE: func(command *cobra.Command, _ []string) error {
			if err := logf.ValidateAndApply(logging); err != nil {
				return err
			}
			ctrl.SetLogger(logf.Log)
			return run(logf.NewContext(command.Context(), logf.Log, name))
		},
	}
	logf.AddFlagsNonDeprecated(logging, command.Flags())
	flags(command.Flags())
	return command
}
