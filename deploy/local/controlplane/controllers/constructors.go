package controllers

import (
	"context"
	"sort"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/scheme"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/cel/openapi/resolver"
	"k8s.io/apiserver/pkg/quota/v1/generic"
	certificates "k8s.io/client-go/informers/certificates/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/util/keyutil"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/kubernetes/pkg/controller/certificates/approver"
	"k8s.io/kubernetes/pkg/controller/certificates/rootcacertpublisher"
	"k8s.io/kubernetes/pkg/controller/certificates/signer"
	"k8s.io/kubernetes/pkg/controller/clusterroleaggregation"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
	"k8s.io/kubernetes/pkg/controller/namespace"
	"k8s.io/kubernetes/pkg/controller/resourcequota"
	"k8s.io/kubernetes/pkg/controller/serviceaccount"
	"k8s.io/kubernetes/pkg/controller/validatingadmissionpolicystatus"
	"k8s.io/kubernetes/pkg/generated/openapi"
	quota "k8s.io/kubernetes/pkg/quota/v1/install"
	tokens "k8s.io/kubernetes/pkg/serviceaccount"
)

// The defaults of kube-controller-manager.
const (
	namespaceWorkers = 10
	garbageWorkers   = 20
	workers          = 5
	fullSyncPeriod   = 5 * time.Minute
	discoveryPeriod  = 30 * time.Second
	certificateTTL   = 365 * 24 * time.Hour
)

// loop runs a controller until the context ends.
type loop func(context.Context)

type constructor func(context.Context, *surroundings) (loop, error)

// The names, service accounts, rates and numbers of workers are those of k8s.io/kubernetes/cmd/kube-controller-manager/app.
var constructors = map[string]constructor{
	"namespace-controller":                           newNamespaces,
	"garbage-collector-controller":                   newGarbageCollector,
	"serviceaccount-controller":                      newServiceAccounts,
	"serviceaccount-token-controller":                newTokens,
	"root-ca-certificate-publisher-controller":       newRootCAPublisher,
	"clusterrole-aggregation-controller":             newRoleAggregation,
	"resourcequota-controller":                       newQuotas,
	"certificatesigningrequest-signing-controller":   newSigners,
	"certificatesigningrequest-approving-controller": newApprover,
	"validatingadmissionpolicy-status-controller":    newPolicyStatus,
}

func names() []string {
	all := make([]string, 0, len(constructors))
	for name := range constructors {
		all = append(all, name)
	}
	sort.Strings(all)
	return all
}

func newNamespaces(ctx context.Context, s *surroundings) (loop, error) {
	config, err := s.accounts.Config("namespace-controller")
	if err != nil {
		return nil, err
	}
	// It lists and deletes each kind of object of a namespace.
	config.QPS *= 20
	config.Burst *= 100
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	metadataClient, err := metadata.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	kinds := client.Discovery().ServerPreferredNamespacedResources
	c := namespace.NewNamespaceController(ctx, client, metadataClient, kinds, s.informers.Core().V1().Namespaces(), fullSyncPeriod, corev1.FinalizerKubernetes)
	return func(ctx context.Context) { c.Run(ctx, namespaceWorkers) }, nil
}

func newGarbageCollector(ctx context.Context, s *surroundings) (loop, error) {
	const account = "generic-garbage-collector"
	client, discovery, err := s.clients(account)
	if err != nil {
		return nil, err
	}
	config, err := s.accounts.Config(account)
	if err != nil {
		return nil, err
	}
	config.QPS *= 2 // A deletion takes two requests.
	deleting, err := metadata.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	graph := garbagecollector.NewDependencyGraphBuilder(ctx, s.metadata, s.mapper, garbagecollector.DefaultIgnoredResources(), s.allInformers, s.informersStarted)
	c, err := garbagecollector.NewComposedGarbageCollector(ctx, client, deleting, s.mapper, graph)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) {
		go c.Sync(ctx, discovery, discoveryPeriod)
		c.Run(ctx, garbageWorkers, discoveryPeriod)
	}, nil
}

func newServiceAccounts(ctx context.Context, s *surroundings) (loop, error) {
	client, err := s.accounts.Client("service-account-controller")
	if err != nil {
		return nil, err
	}
	core := s.informers.Core().V1()
	c, err := serviceaccount.NewServiceAccountsController(klog.FromContext(ctx), core.ServiceAccounts(), core.Namespaces(), client, serviceaccount.DefaultServiceAccountsControllerOptions())
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) { c.Run(ctx, 1) }, nil
}

func newTokens(ctx context.Context, s *surroundings) (loop, error) {
	key, err := keyutil.PrivateKeyFromFile(s.serviceAccountKey)
	if err != nil {
		return nil, err
	}
	generator, err := tokens.JWTTokenGenerator(tokens.LegacyIssuer, key)
	if err != nil {
		return nil, err
	}
	core := s.informers.Core().V1()
	options := serviceaccount.TokensControllerOptions{TokenGenerator: generator, RootCA: s.rootCA}
	c, err := serviceaccount.NewTokensController(klog.FromContext(ctx), core.ServiceAccounts(), core.Secrets(), s.root, options)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) { c.Run(ctx, workers) }, nil
}

func newRootCAPublisher(_ context.Context, s *surroundings) (loop, error) {
	client, err := s.accounts.Client("root-ca-cert-publisher")
	if err != nil {
		return nil, err
	}
	core := s.informers.Core().V1()
	c, err := rootcacertpublisher.NewPublisher(core.ConfigMaps(), core.Namespaces(), client, s.rootCA)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) { c.Run(ctx, 1) }, nil
}

func newRoleAggregation(_ context.Context, s *surroundings) (loop, error) {
	client, err := s.accounts.Client("clusterrole-aggregation-controller")
	if err != nil {
		return nil, err
	}
	c := clusterroleaggregation.NewClusterRoleAggregation(s.informers.Rbac().V1().ClusterRoles(), client.RbacV1())
	return func(ctx context.Context) { c.Run(ctx, workers) }, nil
}

func newQuotas(ctx context.Context, s *surroundings) (loop, error) {
	const account = "resourcequota-controller"
	client, discovery, err := s.clients(account)
	if err != nil {
		return nil, err
	}
	kinds := discovery.ServerPreferredNamespacedResources
	rules, err := quota.NewQuotaConfigurationForControllers(generic.ListerFuncForResourceFunc(s.informers.ForResource), s.informers)
	if err != nil {
		return nil, err
	}
	c, err := resourcequota.NewController(ctx, &resourcequota.ControllerOptions{
		QuotaClient:               client.CoreV1(),
		ResourceQuotaInformer:     s.informers.Core().V1().ResourceQuotas(),
		ResyncPeriod:              controller.StaticResyncPeriodFunc(fullSyncPeriod),
		InformerFactory:           s.allInformers,
		ReplenishmentResyncPeriod: resyncPeriod,
		DiscoveryFunc:             kinds,
		IgnoredResourcesFunc:      rules.IgnoredResources,
		InformersStarted:          s.informersStarted,
		Registry:                  generic.NewRegistry(rules.Evaluators()),
		UpdateFilter:              quota.DefaultUpdateFilter(),
	})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) {
		go c.Sync(ctx, kinds, discoveryPeriod)
		c.Run(ctx, workers)
	}, nil
}

func newSigners(ctx context.Context, s *surroundings) (loop, error) {
	client, err := s.accounts.Client("certificate-controller")
	if err != nil {
		return nil, err
	}
	requests := s.informers.Certificates().V1().CertificateSigningRequests()
	signers := make([]*signer.CSRSigningController, 0, 4)
	for _, construct := range []func(context.Context, kubernetes.Interface, certificates.CertificateSigningRequestInformer, string, string, time.Duration) (*signer.CSRSigningController, error){
		signer.NewKubeletServingCSRSigningController,
		signer.NewKubeletClientCSRSigningController,
		signer.NewKubeAPIServerClientCSRSigningController,
		signer.NewLegacyUnknownCSRSigningController,
	} {
		c, err := construct(ctx, client, requests, s.signingCert, s.signingKey, certificateTTL)
		if err != nil {
			return nil, err
		}
		signers = append(signers, c)
	}
	return func(ctx context.Context) {
		for _, c := range signers {
			go c.Run(ctx, workers)
		}
		<-ctx.Done()
	}, nil
}

func newApprover(ctx context.Context, s *surroundings) (loop, error) {
	client, err := s.accounts.Client("certificate-controller")
	if err != nil {
		return nil, err
	}
	c := approver.NewCSRApprovingController(ctx, client, s.informers.Certificates().V1().CertificateSigningRequests())
	return func(ctx context.Context) { c.Run(ctx, workers) }, nil
}

func newPolicyStatus(_ context.Context, s *surroundings) (loop, error) {
	const account = "validatingadmissionpolicy-status-controller"
	client, discovery, err := s.clients(account)
	if err != nil {
		return nil, err
	}
	schemas := resolver.NewDefinitionsSchemaResolver(openapi.GetOpenAPIDefinitions, scheme.Scheme, apiextensions.Scheme).
		Combine(&resolver.ClientDiscoveryResolver{Discovery: discovery})
	checker := &validating.TypeChecker{SchemaResolver: schemas, RestMapper: s.mapper}
	policies := s.informers.Admissionregistration().V1().ValidatingAdmissionPolicies()
	c, err := validatingadmissionpolicystatus.NewController(policies, client.AdmissionregistrationV1().ValidatingAdmissionPolicies(), checker)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) { c.Run(ctx, workers) }, nil
}
