// Faults in the address that the networks of a key are compared with: each protocol with an authentication of its own.
import type { Fault } from '../fault.ts';

const ACTOR = 'request.actor = await authenticate(context, text, request.clientAddress';

const fault = (name: string, door: string, file: string, before: string): Fault => ({
  name,
  breaks: `${door} compares the networks of a key with the address of the proxy, not with that of the client`,
  edits: [
    {
      file,
      find: `${before}${ACTOR}`,
      replace: `${before}${ACTOR.replace('request.clientAddress', "request.raw.socket.remoteAddress ?? ''")}`,
    },
  ],
  project: 'integration',
  tests: ['test/integration/http/proxies.test.ts'],
});

export const CLIENT_ADDRESS_FAULTS: readonly Fault[] = [
  fault('pdns-network', 'the PowerDNS API', 'src/doors/powerdns/door.ts', ''),
  fault(
    'dyn-network',
    'HTTP Basic, so dyndns2 and httpreq,',
    'src/http/hooks/basic-auth.ts',
    "reply.header('www-authenticate', BASIC_CHALLENGE);\n    ",
  ),
  fault('acme-dns-network', 'acme-dns', 'src/doors/acme/acme-dns/authenticate.ts', '? key : null;\n    '),
];
