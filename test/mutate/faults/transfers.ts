// Faults in zone transfers over TLS.
import type { Fault } from '../fault.ts';
import { fault } from './fault.ts';

export const TRANSFER_FAULTS: readonly Fault[] = [
  fault(
    'transfers-plain',
    'a secondary that requires TLS may transfer without it',
    ['src/nameserver/knot/secondaries.ts', "if (requireTls) put('acl', id, 'protocol', 'tls');", ''],
    'unit',
    'test/unit/dns/secondaries/items.test.ts',
  ),
  fault(
    'transfers-any-certificate',
    'a secondary with pins may transfer without a certificate',
    ['src/nameserver/knot/secondaries.ts', "put('acl', id, 'cert-key', pins);", ''],
    'unit',
    'test/unit/dns/secondaries/items.test.ts',
  ),
  fault(
    'transfers-without-tls-at-node',
    'a node without TLS lets secondaries transfer that require it',
    ['src/nameserver/knot/secondaries.ts', 'overTls || !requireTls', 'true'],
    'unit',
    'test/unit/dns/secondaries/items.test.ts',
  ),
  fault(
    'transfers-after-downgrade',
    'Knot DNS 3.2 gives transfers in plain text to a secondary that requires TLS, after it replaced 3.4',
    ['src/nameserver/knot/exported.ts', "{ item: 'deny', written: 'on' }", ''],
    'unit',
    'test/unit/nameserver/knot-plan.test.ts',
  ),
  fault(
    'transfers-old-pin',
    'a pin that was replaced stays valid',
    ['src/nameserver/knot/difference.ts', ", 'protocol', 'cert-key'", ''],
    'unit',
    'test/unit/dns/secondaries/items.test.ts',
  ),
  fault(
    'transfers-odd-pin',
    'a pin that no certificate can have is accepted',
    ['src/dns/secondaries/pin.ts', " && Buffer.from(pin, 'base64').toString('base64') === pin", ''],
    'unit',
    'test/unit/dns/secondaries/secondary.test.ts',
  ),
  fault(
    'transfers-unsaid',
    'a node says nothing about secondaries that cannot transfer from it over TLS',
    ['src/nameserver/node/transfers.ts', 'fault !== null && fault !== this.#tlsFault', 'fault === ""'],
    'unit',
    'test/unit/nameserver/node/transfers.test.ts',
  ),
  fault(
    'transfers-edge-version',
    'an edge with Knot DNS 3.2 gets items for TLS that it does not know',
    ['src/nameserver/edge/configuration.ts', 'if (pins.length > 0) requireTransfersOverTls(version);', ''],
    'unit',
    'test/unit/nameserver/edge/configuration.test.ts',
  ),
  fault(
    'transfers-unverified',
    'BIND does not verify the name in the certificate of a name server',
    ['src/dns/secondaries/bind-config.ts', '  remote-hostname "', '  # remote-hostname "'],
    'integration',
    'test/integration/nameserver/knot/transfers-over-tls.test.ts',
  ),
  fault(
    'transfers-chart-port',
    'edges transfer over TLS from the port without TLS',
    ['charts/zonestead/templates/_edge.tpl', 'not (empty $.Values.edge.primaryPins)', 'false'],
    'integration',
    'test/integration/chart/transfers-over-tls.test.ts',
  ),
];
