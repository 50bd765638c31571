// Package conformance runs cert-manager's own test suite for DNS-01 solvers against a running Zonestead: each request goes
// through cert-manager's client, kube-apiserver and the APIService, with the rights of the user in the kubeconfig.
//
// The suite starts a control plane of its own. It only creates its namespace there.
package conformance

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/cert-manager/cert-manager/pkg/acme/webhook/apis/acme/v1alpha1"
	cmacme "github.com/cert-manager/cert-manager/pkg/apis/acme/v1"
	"github.com/cert-manager/cert-manager/pkg/issuer/acme/dns/webhook"
	acmetest "github.com/cert-manager/cert-manager/test/acme"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// forwarder is the solver that the suite tests: cert-manager's side of the webhook protocol.
type forwarder struct{ client webhook.Webhook }

func (*forwarder) Name() string { return "zonestead" }

// Initialize gets the configuration of the suite's control plane, and ignores it: the APIService is in the other one.
func (f *forwarder) Initialize(_ *rest.Config, stop <-chan struct{}) error {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("CONFORMANCE_KUBECONFIG"))
	if err != nil {
		return err
	}
	return f.client.Initialize(config, stop)
}

func (f *forwarder) Present(challenge *v1alpha1.ChallengeRequest) error {
	request, err := throughIssuer(challenge)
	if err != nil {
		return err
	}
	return f.client.Present(request)
}

func (f *forwarder) CleanUp(challenge *v1alpha1.ChallengeRequest) error {
	request, err := throughIssuer(challenge)
	if err != nil {
		return err
	}
	return f.client.CleanUp(request)
}

// throughIssuer puts the suite's configuration into the place where an Issuer has it.
func throughIssuer(challenge *v1alpha1.ChallengeRequest) (*v1alpha1.ChallengeRequest, error) {
	issuer := cmacme.ACMEIssuerDNS01ProviderWebhook{GroupName: "acme.zonestead.dev", SolverName: "zonestead", Config: challenge.Config}
	raw, err := json.Marshal(issuer)
	if err != nil {
		return nil, err
	}
	request := challenge.DeepCopy()
	request.Config = &apiextensions.JSON{Raw: raw}
	return request, nil
}

func TestSolver(t *testing.T) {
	zone := os.Getenv("CONFORMANCE_ZONE")
	fixture := acmetest.NewFixture(&forwarder{},
		acmetest.SetResolvedZone(zone),
		acmetest.SetResolvedFQDN("cert-manager-dns01-tests."+zone),
		acmetest.SetConfig(map[string]any{}),
		acmetest.SetDNSServer(os.Getenv("CONFORMANCE_DNS")),
		acmetest.SetUseAuthoritative(false),
		acmetest.SetStrict(true),
		acmetest.SetPollInterval(200*time.Millisecond),
		acmetest.SetPropagationLimit(30*time.Second),
	)
	fixture.RunBasic(t)
	fixture.RunExtended(t)
}
