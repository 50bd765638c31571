// Command coredns is the DNS server of the test node's cluster: CoreDNS with only the plugins that pods need.
package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/health"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/loop"
	_ "github.com/coredns/coredns/plugin/ready"

	"github.com/coredns/coredns/coremain"
)

func init() {
	// A query passes the plugins in this order, which is that of CoreDNS' plugin.cfg.
	dnsserver.Directives = []string{"health", "ready", "errors", "cache", "kubernetes", "loop"}
}

func main() {
	coremain.Run()
}
