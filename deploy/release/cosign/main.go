// cosign without the clients of the key services of clouds: a release does not use them, and they take long to build.
package main

import (
	"os"

	"github.com/sigstore/cosign/v3/cmd/cosign/cli"
)

func main() {
	// It prints the error itself.
	if cli.New().Execute() != nil {
		os.Exit(1)
	}
}
