package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/cert-manager/cert-manager/pkg/controller"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/api/resource"

	// Each package registers its controller with controller.Known(). These are all that an ACME certificate and the PKI of a
	// chart need.
	_ "github.com/cert-manager/cert-manager/pkg/controller/acmechallenges"
	_ "github.com/cert-manager/cert-manager/pkg/controller/acmeorders"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/acme"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/approver"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/ca"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/selfsigned"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/issuing"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/keymanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/metrics"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/readiness"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/requestmanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/revisionmanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/trigger"
	_ "github.com/cert-manager/cert-manager/pkg/controller/clusterissuers"
	_ "github.com/cert-manager/cert-manager/pkg/controller/issuers"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/acme"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/ca"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/selfsigned"
)

// This program never makes HTTP-01 solver pods, but their sizes must parse.
const resourceZero = "0"

func controllerCommand() *cobra.Command {
	options := controller.ContextOptions{
		IssuerOptions: controller.IssuerOptions{ClusterIssuerAmbientCredentials: true},
		ACMEOptions: controller.ACMEOptions{
			HTTP01SolverResourceRequestCPU:    resource.MustParse(resourceZero),
			HTTP01SolverResourceRequestMemory: resource.MustParse(resourceZero),
			HTTP01SolverResourceLimitsCPU:     resource.MustParse(resourceZero),
			HTTP01SolverResourceLimitsMemory:  resource.MustParse(resourceZero),
		},
		CertificateOptions: controller.CertificateOptions{CopiedAnnotationPrefixes: []string{"*", "-kubectl.kubernetes.io/", "-fluxcd.io/", "-argocd.argoproj.io/"}},
	}
	var metricsAddress, healthAddress string
	var recursiveOnly bool
	var workers int
	// Names, meanings and defaults are those of cert-manager's own command.
	flags := func(set *pflag.FlagSet) {
		set.StringVar(&options.Kubeconfig, "kubeconfig", "", "kubeconfig of the cluster")
		set.StringVar(&options.ClusterResourceNamespace, "cluster-resource-namespace", "kube-system", "namespace of a ClusterIssuer's resources")
		set.StringSliceVar(&options.DNS01Nameservers, "dns01-recursive-nameservers", nil, "host:port of the resolvers that the self check asks")
		set.BoolVar(&recursiveOnly, "dns01-recursive-nameservers-only", false, "never ask the authoritative servers")
		set.DurationVar(&options.DNS01CheckRetryPeriod, "dns01-check-retry-period", 10*time.Second, "pause between self checks")
		set.DurationVar(&options.CertificateRequestMinimumBackoffDuration, "certificate-request-minimum-backoff-duration", time.Hour, "first pause after a failed issuance")
		set.DurationVar(&options.CertificateRequestMaximumBackoffDuration, "certificate-request-maximum-backoff-duration", 32*time.Hour, "longest pause after failed issuances")
		set.IntVar(&options.MaxConcurrentChallenges, "max-concurrent-challenges", 60, "challenges at once")
		set.IntVar(&workers, "concurrent-workers", 5, "workers of each controller")
		set.StringVar(&metricsAddress, "metrics-listen-address", "127.0.0.1:9402", "host:port of /metrics")
		set.StringVar(&healthAddress, "internal-healthz-listen-address", "127.0.0.1:9403", "host:port of /livez")
	}
	return withLogs("controller", flags, func(ctx context.Context) error {
		options.DNS01CheckAuthoritative = !recursiveOnly
		return runControllers(ctx, options, workers, metricsAddress, healthAddress)
	})
}

func runControllers(ctx context.Context, options controller.ContextOptions, workers int, metricsAddress, healthAddress string) error {
	factory, err := controller.NewContextFactory(ctx, options)
	if err != nil {
		return err
	}
	root, err := factory.Build()
	if err != nil {
		return err
	}
	acme := root.SharedInformerFactory.Acme().V1()
	certificates := root.SharedInformerFactory.Certmanager().V1()
	root.Metrics.SetupACMECollector(acme.Challenges().Lister())
	root.Metrics.SetupCertificateCollector(certificates.Certificates().Lister())
	root.Metrics.SetupIssuerCollector(certificates.Issuers().Lister())
	root.Metrics.SetupClusterIssuerCollector(certificates.ClusterIssuers().Lister())

	group, ctx := errgroup.WithContext(ctx)
	metrics, err := net.Listen("tcp", metricsAddress)
	if err != nil {
		return err
	}
	serve(ctx, group, root.Metrics.NewServer(metrics), metrics)
	health, err := net.Listen("tcp", healthAddress)
	if err != nil {
		return err
	}
	alive := http.HandlerFunc(func(answer http.ResponseWriter, _ *http.Request) { fmt.Fprint(answer, "ok") })
	serve(ctx, group, &http.Server{Handler: alive, ReadHeaderTimeout: 5 * time.Second}, health)

	for name, construct := range controller.Known() {
		each, err := construct(factory)
		if err != nil {
			return fmt.Errorf("controller %s: %w", name, err)
		}
		group.Go(func() error { return each.Run(workers, ctx) })
	}
	root.SharedInformerFactory.Start(ctx.Done())
	root.KubeSharedInformerFactory.Start(ctx.Done())
	root.HTTP01ResourceMetadataInformersFactory.Start(ctx.Done())
	return group.Wait()
}

func serve(ctx context.Context, group *errgroup.Group, server *http.Server, listener net.Listener) {
	group.Go(func() error {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	group.Go(func() error {
		<-ctx.Done()
		return server.Close()
	})
}
