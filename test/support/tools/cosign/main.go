// Verifies a signature or an attested bill of materials of an image by the code of cosign, and prints the payload. The command
// cosign itself also contains the clients of all key services, which take most of a build.
package main

import (
	"context"
	"crypto"
	"fmt"
	"os"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/sigstore/cosign/v3/pkg/cosign"
	"github.com/sigstore/cosign/v3/pkg/oci"
	"github.com/sigstore/sigstore/pkg/cryptoutils"
	"github.com/sigstore/sigstore/pkg/signature"
)

// Usage: cosign signature|attestation PUBLIC-KEY IMAGE
func main() {
	if err := verify(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func verify(what, keyFile, image string) error {
	text, err := os.ReadFile(keyFile)
	if err != nil {
		return err
	}
	key, err := cryptoutils.UnmarshalPEMToPublicKey(text)
	if err != nil {
		return err
	}
	verifier, err := signature.LoadVerifier(key, crypto.SHA256)
	if err != nil {
		return err
	}
	reference, err := name.ParseReference(image)
	if err != nil {
		return err
	}
	// As of `cosign verify --key --insecure-ignore-tlog`: the key is all that is trusted.
	options := &cosign.CheckOpts{SigVerifier: verifier, IgnoreTlog: true, IgnoreSCT: true, Offline: true}
	var found []oci.Signature
	if what == "attestation" {
		options.ClaimVerifier = cosign.IntotoSubjectClaimVerifier
		found, _, err = cosign.VerifyImageAttestations(context.Background(), reference, options)
	} else {
		options.ClaimVerifier = cosign.SimpleClaimVerifier
		found, _, err = cosign.VerifyImageSignatures(context.Background(), reference, options)
	}
	if err != nil {
		return err
	}
	for _, each := range found {
		payload, err := each.Payload()
		if err != nil {
			return err
		}
		fmt.Println(string(payload))
	}
	return nil
}
