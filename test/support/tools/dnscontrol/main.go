// dnscontrol with the providers whose servers the tests run, in place of all sixty: the others' SDKs take most of a build.
package main

import (
	"os"

	"github.com/StackExchange/dnscontrol/v4/commands"
	_ "github.com/StackExchange/dnscontrol/v4/providers/axfrddns"
	_ "github.com/StackExchange/dnscontrol/v4/providers/powerdns"
)

func main() {
	os.Exit(commands.Run("dnscontrol"))
}
