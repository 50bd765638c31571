// Package controllers runs the controllers of kube-controller-manager that a cluster without nodes needs, and links nothing
// else of it: no volume plugins, no cloud providers and no controllers of workloads, which take a third of its compile time.
package controllers

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// The defaults of kube-controller-manager.
const (
	queriesPerSecond = 20
	burst            = 30
)

type settings struct {
	kubeconfig        string
	controllers       []string
	serviceAccountKey string
	rootCA            string
	signingCert       string
	signingKey        string
}

// NewCommand returns the command `controllers`. Its flags are a part of kube-controller-manager's. Like that program, it ends
// at the first signal.
func NewCommand() *cobra.Command {
	var given settings
	command := &cobra.Command{
		Use:          "controllers",
		Short:        "run the controllers of Kubernetes that a cluster without nodes needs",
		Args:         cobra.NoArgs,
		SilenceUsage: true,
		RunE: func(_ *cobra.Command, _ []string) error {
			return run(context.Background(), given)
		},
	}
	flags := command.Flags()
	flags.StringVar(&given.kubeconfig, "kubeconfig", "", "the identity system:kube-controller-manager")
	flags.StringSliceVar(&given.controllers, "controllers", nil, "names of the controllers: "+strings.Join(names(), ", "))
	flags.StringVar(&given.serviceAccountKey, "service-account-private-key-file", "", "signs tokens of service accounts")
	flags.StringVar(&given.rootCA, "root-ca-file", "", "the authority that service accounts trust")
	flags.StringVar(&given.signingCert, "cluster-signing-cert-file", "", "the authority that signs certificates")
	flags.StringVar(&given.signingKey, "cluster-signing-key-file", "", "its key")
	for _, name := range []string{"kubeconfig", "controllers", "service-account-private-key-file", "root-ca-file", "cluster-signing-cert-file", "cluster-signing-key-file"} {
		if err := command.MarkFlagRequired(name); err != nil {
			panic(err)
		}
	}
	return command
}

func run(ctx context.Context, given settings) error {
	config, err := clientcmd.BuildConfigFromFlags("", given.kubeconfig)
	if err != nil {
		return err
	}
	config.QPS, config.Burst = queriesPerSecond, burst
	config.ContentType = runtime.ContentTypeProtobuf
	surroundings, err := surround(ctx, rest.AddUserAgent(config, "controllers"), given)
	if err != nil {
		return err
	}
	if err := untilHealthy(ctx, surroundings); err != nil {
		return err
	}
	loops, err := construct(ctx, surroundings, given.controllers)
	if err != nil {
		return err
	}
	surroundings.informers.Start(ctx.Done())
	surroundings.allInformers.Start(ctx.Done())
	close(surroundings.informersStarted)
	for _, loop := range loops {
		go loop(ctx)
	}
	<-ctx.Done()
	return nil
}

// Roles are made as one of the last steps of kube-apiserver's start, so the first requests could be refused.
func untilHealthy(ctx context.Context, s *surroundings) error {
	return wait.PollUntilContextCancel(ctx, time.Second, true, func(ctx context.Context) (bool, error) {
		_, err := s.root.Discovery().RESTClient().Get().AbsPath("/healthz").DoRaw(ctx)
		return err == nil, nil
	})
}

// construct makes the named controllers. Each uses the service account that kube-apiserver's RBAC rules bind to its rights,
// except for the one that makes tokens of service accounts.
func construct(ctx context.Context, s *surroundings, wanted []string) ([]loop, error) {
	loops := make([]loop, 0, len(wanted))
	for _, name := range wanted {
		constructor, found := constructors[name]
		if !found {
			return nil, fmt.Errorf("there is no controller %s here, only %s", name, strings.Join(names(), ", "))
		}
		loop, err := constructor(ctx, s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		loops = append(loops, loop)
	}
	return loops, nil
}
