package suite

import (
	"errors"
	"net/http"
	"net/url"
	"os"
)

// The suites send their requests to a fixed address of this machine with a fixed key. They reach the server of the test instead,
// with its key. A request with no key, or for another host, shows how a client handles that.
func init() {
	server, err := url.Parse(os.Getenv("SERVER_URL"))
	if err != nil {
		panic(err)
	}
	http.DefaultTransport = &serverOfTest{server, os.Getenv("SERVER_KEY"), http.DefaultTransport}
}

type serverOfTest struct {
	server *url.URL
	key    string
	next   http.RoundTripper
}

func (t *serverOfTest) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.URL.Hostname() != "localhost" {
		return nil, errors.New("there is no such host")
	}
	sent := request.Clone(request.Context())
	sent.URL.Scheme, sent.URL.Host, sent.Host = t.server.Scheme, t.server.Host, ""
	if sent.Header.Get("X-API-Key") != "" {
		sent.Header.Set("X-API-Key", t.key)
	}
	return t.next.RoundTrip(sent)
}
