// The lanes of the tests: which files run in each `npm test` (the gate), and which run when their inputs changed.
// Everything runs in `npm run test:full` and in CI. A file that no lane names belongs to the gate, which has every rule
// on real parts.
import type { Program } from './programs.ts';

export interface Lane {
  /** Files and folders below `test/`. */
  readonly files: readonly string[];
  /** Files and folders of the project; a change below one of them starts the lane. */
  readonly starts: readonly string[];
  /** The programs that its files need in addition to those of the gate. */
  readonly programs: readonly Program[];
}

export const GATE = 'gate';

export const LANES = {
  operator: {
    files: [
      'e2e/operator/control-plane-away.test.ts',
      'e2e/operator/etcd-restore.test.ts',
      'e2e/operator/faults.test.ts',
      'e2e/operator/leader.test.ts',
      'e2e/operator/many-namespaces.test.ts',
      'e2e/operator/mass-deletion.test.ts',
      'e2e/matrix/cluster.test.ts',
      'e2e/matrix/credentials.test.ts',
      'e2e/matrix/killed.test.ts',
      'e2e/matrix/objects.test.ts',
      'e2e/matrix/parts.test.ts',
      'e2e/matrix/service.test.ts',
      'e2e/operator/metrics.test.ts',
      'e2e/operator/pace.test.ts',
      'e2e/operator/salvaged-zones.test.ts',
      'e2e/operator/stopped-node.test.ts',
      'e2e/operator/two-clusters.test.ts',
      'integration/kube/runtime.test.ts',
      'integration/operator/memory.test.ts',
    ],
    starts: ['src/operator/', 'src/kube/', 'src/resources/', 'src/client/', 'test/support/matrix/'],
    programs: [],
  },
  'name-servers': {
    files: [
      'e2e/ipv6-only.test.ts',
      'e2e/name-servers.test.ts',
      'e2e/operator/zone-secondaries.test.ts',
      'integration/nameserver/edge/dns-over-tls.test.ts',
      'integration/nameserver/knot/many-transfers.test.ts',
      'integration/nameserver/knot/other-version.test.ts',
      'integration/nameserver/knot/secondaries.test.ts',
      'integration/nameserver/knot/transfers-over-tls.test.ts',
      'integration/nameserver/knot/zone-version.test.ts',
      'integration/nameserver/node/damaged.test.ts',
      'integration/nameserver/node/dns-over-tls.test.ts',
      'integration/nameserver/node/lying-secondaries.test.ts',
      'integration/nameserver/node/ready.test.ts',
      'integration/nameserver/node/refused-notify.test.ts',
      'integration/nameserver/node/secondaries.test.ts',
    ],
    starts: [
      'src/nameserver/',
      'src/dns/',
      'src/http/connections/',
      'test/support/faulty-node/',
      'test/support/feed/',
      'test/support/knot/',
    ],
    programs: ['cert-manager'],
  },
  service: {
    files: [
      'e2e/backup.test.ts',
      'e2e/point-in-time.test.ts',
      'e2e/observability.test.ts',
      'integration/doors/rest/limits/hostile-files.test.ts',
      'integration/doors/dns-update/slow-transfers.test.ts',
      'integration/doors/rest/records/batch-memory.test.ts',
      'integration/doors/rest/requests/large-answers.test.ts',
      'integration/http/overload.test.ts',
      'integration/service/clusters/killed.test.ts',
      'integration/faults/',
      'integration/model/',
      'integration/nameserver/node/salvage-killed.test.ts',
      'integration/store/migration-locks.test.ts',
      'integration/store/migration.test.ts',
      'integration/telemetry/loaded.test.ts',
    ],
    starts: [
      'src/api/',
      'src/base/',
      'src/canary/',
      'src/contract/',
      'src/doors/',
      'src/http/',
      'src/service/',
      'src/settings/',
      'src/store/',
      'src/telemetry/',
      'src/tokens/',
      'test/support/model/',
      'test/support/service/undo.ts',
    ],
    programs: [],
  },
  console: {
    files: ['e2e/console/', 'integration/console/memory.test.ts'],
    starts: ['src/console/'],
    programs: [],
  },
  clients: {
    files: [
      'e2e/acme/',
      'e2e/certificates/',
      'e2e/doors/',
      'e2e/external-dns/',
      'integration/doors/rest/generated-clients.test.ts',
      'integration/cli/acme.test.ts',
      'integration/doors/dns-update/kea.test.ts',
      'integration/solver/memory.test.ts',
    ],
    starts: [
      'src/cli/acme/',
      'src/doors/acme/',
      'src/doors/dns-update/',
      'src/doors/dyndns/',
      'src/doors/powerdns/',
      'src/external-dns/',
      'src/http/hooks/basic-auth.ts',
      'src/solver/',
      'test/support/doors/',
      'test/support/external-dns/',
      'test/support/tools/',
    ],
    programs: ['cert-manager', 'conformance', 'external-dns', 'python', 'dnscontrol', 'go-suites'],
  },
  'command-line': {
    files: [
      'integration/cli/import-hostile.test.ts',
      'integration/cli/kubectl.test.ts',
      'integration/cli/single-file.test.ts',
      'integration/deploy/cli/',
    ],
    starts: ['src/cli/', 'src/client/', 'src/diagnosis/', 'deploy/cli/'],
    programs: [],
  },
  docs: {
    files: [
      'e2e/docs/local.test.ts',
      'integration/cli/clusters.test.ts',
      'integration/cli/import-pages.test.ts',
      'integration/cli/operation-pages.test.ts',
      'integration/cli/trust-pages.test.ts',
      'integration/doors/dyndns/page.test.ts',
      'integration/doors/powerdns/page.test.ts',
      'integration/doors/dns-update/page.test.ts',
      'integration/docs/site.test.ts',
    ],
    starts: ['CHANGELOG.md', 'README.md', 'docs/', 'src/cli/', 'src/diagnosis/', 'test/support/docs/'],
    programs: ['cert-manager'],
  },
  chart: {
    files: [
      'e2e/node/',
      'integration/chart/cloudnativepg-operator.test.ts',
      'integration/chart/crd-versions.test.ts',
      'integration/chart/documented.test.ts',
      'integration/chart/edges.test.ts',
      'integration/chart/families.test.ts',
      'integration/chart/issued-certificates.test.ts',
      'integration/chart/lint.test.ts',
      'integration/chart/notes.test.ts',
      'integration/chart/rendered.test.ts',
      'integration/chart/second-apply.test.ts',
      'integration/chart/server.test.ts',
      'integration/chart/sign-in-notes.test.ts',
      'integration/chart/trusts.test.ts',
      'integration/chart/volumes.test.ts',
      'integration/chart/warnings.test.ts',
      'integration/chart/workloads.test.ts',
      'integration/deploy/image/debian-root.test.ts',
      'integration/deploy/image/libraries.test.ts',
      'integration/deploy/image/nameserver.test.ts',
      'integration/deploy/image/npm-package.test.ts',
      'integration/deploy/image/postgres.test.ts',
      'integration/deploy/image/zonestead.test.ts',
    ],
    starts: [
      'charts/',
      'crds/',
      'deploy/examples/',
      'deploy/image/',
      'deploy/local/controlplane/manager/',
      'deploy/local/node/',
      'deploy/manifests/',
      'deploy/observability/',
      'deploy/operator/',
      'deploy/solver/',
      'test/support/cloudnativepg/',
      'test/support/kubelet/',
    ],
    programs: ['cert-manager', 'cloudnativepg'],
  },
  deploy: {
    files: [
      'e2e/docs/install.test.ts',
      'e2e/emulated.test.ts',
      'e2e/up.test.ts',
      'integration/deploy/local/',
      'integration/deploy/release/',
      'integration/support/tools/go-module.test.ts',
    ],
    starts: ['deploy/'],
    programs: [],
  },
} as const satisfies Record<string, Lane>;

export type LaneName = keyof typeof LANES;
export const LANE_NAMES = Object.keys(LANES) as LaneName[];

/** A change of these files starts all lanes: they decide which tests run, and with which programs. */
const STARTS_ALL = ['package.json', 'package-lock.json', 'test/vitest.config.ts', 'test/support/lanes/', '.ci/'];

const isBelow = (path: string, places: readonly string[]) =>
  places.some((place) => (place.endsWith('/') ? path.startsWith(place) : path === place));

/** The lane of a test file, or the gate. @param file its path below `test/` */
export function findLane(file: string): LaneName | typeof GATE {
  return LANE_NAMES.find((name) => isBelow(file, LANES[name].files)) ?? GATE;
}

/** The lanes that changes start, each with the first change that starts it. @param changed paths in the project */
export function lanesStartedBy(changed: readonly string[]): Map<LaneName, string> {
  const started = new Map<LaneName, string>();
  for (const name of LANE_NAMES) {
    const { files, starts }: Lane = LANES[name];
    const own = files.map((file) => `test/${file}`);
    const cause = changed.find((path) => isBelow(path, [...starts, ...own, ...STARTS_ALL]));
    if (cause !== undefined) started.set(name, cause);
  }
  return started;
}

/** Reads a list of lanes, such as `operator,docs` or `all`. @throws for a name that no lane has */
export function readLanes(text: string): LaneName[] {
  if (text === 'all') return LANE_NAMES;
  const names = text.split(',').filter((name) => name !== '' && name !== GATE);
  const wrong = names.find((name) => !(name in LANES));
  if (wrong !== undefined)
    throw new Error(
      `there is no lane "${wrong}"; the lanes are ${LANE_NAMES.join(', ')}, and \`all\` means all of them`,
    );
  return names as LaneName[];
}
