package controllers

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/util/cert"
	"k8s.io/controller-manager/pkg/clientbuilder"
	"k8s.io/controller-manager/pkg/informerfactory"
)

// The default of kube-controller-manager; each informer waits between once and twice as long.
const minResyncPeriod = 12 * time.Hour

// How long new kinds (CRDs) may be unknown.
const mapperPeriod = 30 * time.Second

// surroundings has the clients and caches that all controllers share.
type surroundings struct {
	settings
	rootCA []byte
	// With the rights of system:kube-controller-manager, for informers and for making tokens.
	root     kubernetes.Interface
	metadata metadata.Interface
	// Makes clients with the token of a service account in kube-system.
	accounts         clientbuilder.ControllerClientBuilder
	mapper           *restmapper.DeferredDiscoveryRESTMapper
	informers        informers.SharedInformerFactory
	allInformers     informerfactory.InformerFactory
	informersStarted chan struct{}
}

// clients makes the clients of a controller that also reads which kinds there are.
func (s *surroundings) clients(account string) (kubernetes.Interface, discovery.DiscoveryInterface, error) {
	client, err := s.accounts.Client(account)
	if err != nil {
		return nil, nil, err
	}
	kinds, err := s.accounts.DiscoveryClient(account)
	return client, kinds, err
}

func surround(ctx context.Context, config *rest.Config, given settings) (*surroundings, error) {
	rootCA, err := os.ReadFile(given.rootCA)
	if err != nil {
		return nil, err
	}
	if _, err := cert.ParseCertsPEM(rootCA); err != nil {
		return nil, fmt.Errorf("%s: %w", given.rootCA, err)
	}
	root, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	metadataClient, err := metadata.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(root.Discovery()))
	go wait.Until(mapper.Reset, mapperPeriod, ctx.Done())
	typed := informers.NewSharedInformerFactoryWithOptions(root, resyncPeriod(), informers.WithTransform(trim))
	byMetadata := metadatainformer.NewSharedInformerFactoryWithOptions(metadataClient, resyncPeriod(), metadatainformer.WithTransform(trim))
	return &surroundings{
		settings:         given,
		rootCA:           rootCA,
		root:             root,
		metadata:         metadataClient,
		accounts:         clientbuilder.NewDynamicClientBuilder(rest.AnonymousClientConfig(config), root.CoreV1(), metav1.NamespaceSystem),
		mapper:           mapper,
		informers:        typed,
		allInformers:     informerfactory.NewInformerFactory(typed, byMetadata),
		informersStarted: make(chan struct{}),
	}, nil
}

func resyncPeriod() time.Duration {
	return time.Duration(float64(minResyncPeriod) * (1 + rand.Float64()))
}

// trim saves memory: no controller reads managed fields.
func trim(object any) (any, error) {
	if accessor, err := meta.Accessor(object); err == nil {
		accessor.SetManagedFields(nil)
	}
	return object, nil
}
