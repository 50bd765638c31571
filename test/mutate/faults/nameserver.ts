// Faults in the keys of name servers.
import type { Fault } from '../fault.ts';
import { fault } from './fault.ts';

export const NAMESERVER_FAULTS: readonly Fault[] = [
  {
    name: 'ns-shared-modules',
    breaks: 'Knot DNS 3.2 is started with a shared module, and crashes at the first removal of a zone',
    edits: [
      {
        file: 'src/nameserver/knot/prepare.ts',
        find: 'if (fault !== null) throw new Error(',
        replace: 'if (fault !== null) options.warn?.(',
      },
    ],
    project: 'unit',
    tests: ['test/unit/nameserver/shared-modules.test.ts'],
  },
  {
    name: 'node-key-rotation-forgotten',
    breaks: 'a key that was replaced before a rotation that failed stays valid',
    edits: [
      {
        file: 'src/cli/jobs/credentials.ts',
        find: 'const replaced = [...earlier, ',
        replace: 'const replaced = [',
      },
    ],
    project: 'integration',
    tests: ['test/integration/cli/bootstrap.test.ts'],
  },
  fault(
    'node-absent-knotd',
    'a node notices only after minutes that its knotd has ended',
    [
      'src/nameserver/knot/control.ts',
      'clock.now() - absentSince >= absentMs',
      'clock.now() - absentSince >= connectMs',
    ],
    'integration',
    'test/integration/nameserver/knot/control.test.ts',
  ),
  fault(
    'knot-configuration-shares',
    'a change of the configuration of knotd runs next to changes of zones',
    ['src/nameserver/knot/control.ts', 'isAlone ? lock.takeAlone', 'false ? lock.takeAlone'],
    'integration',
    'test/integration/nameserver/knot/control.test.ts',
  ),
  fault(
    'knot-loading-words',
    'a zone that Knot 3.4 loads counts as loaded',
    ['src/nameserver/knot/load.ts', '(running|pending)\\b/', '(running|pending)$/'],
    'unit',
    'test/unit/nameserver/knot-plan.test.ts',
  ),
  fault(
    'knot-zone-left-open',
    'the open transaction of a zone stops each change of the configuration of Knot 3.4',
    ['src/nameserver/knot/apply.ts', "return abortAndBegin('zone-abort')", "return abortAndBegin('conf-abort')"],
    'unit',
    'test/unit/nameserver/begin.test.ts',
  ),
  fault(
    'knot-configuration-left-open',
    'an open transaction of the configuration stops each change of a zone of Knot 3.4',
    ['src/nameserver/knot/apply.ts', ".catch(() => run('conf-abort').catch(ignoreRefusal))", '.catch(ignoreRefusal)'],
    'unit',
    'test/unit/nameserver/begin.test.ts',
  ),
  fault(
    'knot-transfer-time',
    'Knot 3.4 closes connections of secondaries whose transfers take processor time',
    ['src/nameserver/knot/configuration.ts', ", 'time-rate-limit': 0", ''],
    'unit',
    'test/unit/nameserver/knot-plan.test.ts',
  ),
  fault(
    'knot-silent-timeout',
    'Knot 3.4 answers a command that it did not execute as if it did, before the limit of the command',
    ['src/nameserver/knot/configuration.ts', '? 660 : 5', '? 5 : 5'],
    'unit',
    'test/unit/nameserver/knot-plan.test.ts',
  ),
  fault(
    'knot-lock-passed',
    'changes of zones keep a change of the configuration waiting forever',
    ['src/base/shared-lock.ts', 'this.#waiting.push(waiter)', 'this.#waiting[isAlone ? "push" : "unshift"](waiter)'],
    'unit',
    'test/unit/base/shared-lock.test.ts',
  ),
  fault(
    'knot-tls-renewal',
    'a running knotd keeps the certificate that it began with',
    ['src/nameserver/node/setup.ts', 'if (!isFirst) void applyUntilDone(signal);', 'if (isFirst) pair = next;'],
    'integration',
    'test/integration/nameserver/node/dns-over-tls.test.ts',
  ),
  fault(
    'knot-tls-half',
    'knotd makes a certificate of its own if the setting of the key is missing',
    ['src/nameserver/knot/from-config.ts', 'if (certificateFile === undefined && keyFile', 'if (keyFile'],
    'unit',
    'test/unit/nameserver/dns-over-tls.test.ts',
  ),
  fault(
    'knot-tls-pair',
    'knotd starts with a certificate for DNS over TLS and the key of another one',
    [
      'src/http/connections/serving-certificate.ts',
      '!new X509Certificate(certificate)',
      'false && !new X509Certificate(certificate)',
    ],
    'integration',
    'test/integration/nameserver/node/dns-over-tls.test.ts',
  ),
  fault(
    'knot-tls-version',
    'Knot DNS 3.2 gets settings of DNS over TLS that it does not know',
    ['src/nameserver/knot/certificate.ts', '  requireTls(version);\n', ''],
    'integration',
    'test/integration/nameserver/node/dns-over-tls.test.ts',
  ),
  fault(
    'knot-statistics-tls',
    'queries over TLS are counted as those of another transport',
    ['src/nameserver/knot/statistics.ts', '(udp|tcp|tls|quic)', '(udp|tcp|quic)'],
    'unit',
    'test/unit/nameserver/knot-statistics.test.ts',
  ),
  fault(
    'chart-dns-tls-policy',
    'the policy of the name servers refuses DNS over TLS',
    [
      'charts/zonestead/templates/_networkpolicies.tpl',
      '{{ if .knot.tls.existingSecret }}, { port: dns-tls, protocol: TCP }{{ end }}',
      '',
    ],
    'integration',
    'test/integration/chart/dns-over-tls.test.ts',
  ),
  fault(
    'chart-dns-tls-service',
    'the DNS Service has no port for DNS over TLS',
    ['charts/zonestead/templates/dns-service.yaml', 'if and $tls.existingSecret', 'if and false'],
    'integration',
    'test/integration/chart/dns-over-tls.test.ts',
  ),
  fault(
    'node-unloaded-minute',
    'a zone that the name server could not load counts as failing for a minute after the node gave it again',
    ['src/nameserver/node/engine-watch.ts', "result === 'applied' && this", "result === 'failed' && this"],
    'unit',
    'test/unit/nameserver/node/engine-watch.test.ts',
  ),
];
