// Command certmanager is cert-manager's controller and its cainjector in one binary, told apart by the name they are
// started under (symlinks made by src/cli/up).
//
// It exists so that `npm run up -- --cert-manager` and the tests meet the real controllers without a container image:
// upstream's own commands live in modules that the Go proxy does not carry, their controllers are public packages. It
// must not change what the controllers do.
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

// withLogs makes a command of run, with upstream's logging flags (-v before all) and one cluster to talk to.
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
