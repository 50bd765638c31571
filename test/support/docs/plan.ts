// The commands of the pages that each test types, in their order, and the few that no test types, each with its reason.
// This file is data: it finds a command by its section or by its first words.
import { globSync } from 'node:fs';
import { begins, block, howTo, proven, type Scenario } from './choices.ts';
import { PROJECT } from './document.ts';
import { OPERATION_PAGES } from './operation-pages.ts';
import {
  ACME_PROOFS,
  CERTIFICATE_PROOFS,
  CLOUDNATIVEPG_PROOFS,
  FIRST_ZONE_PROOFS,
  REST_PROOFS,
  SECRET_PROOFS,
  SHARE_PROOFS,
  SOLVER_PROOFS,
  SYMPTOM_PROOFS,
  TOUR_PROOFS,
  VOLUME_PROOFS,
} from './proofs.ts';

/** Every page of the project, by its path: a page cannot be forgotten. */
export const PAGES = globSync('**/*.md', {
  cwd: PROJECT,
  exclude: (name) => name === 'node_modules' || name.startsWith('.'),
}).sort();

const FIRST_ZONE = 'docs/tutorials/first-zone.md';
const REST = 'docs/tutorials/rest-in-ten-minutes.md';
const SHARE = 'docs/tutorials/share-a-zone.md';
const CERTIFICATE = 'docs/tutorials/first-certificate.md';
const LOCAL = howTo('run-locally');
const NODES = howTo('nodes-outside-the-cluster');
const SECONDARIES = howTo('secondaries');
const KEYS = howTo('first-user-and-keys');
const COMMAND_LINE = howTo('use-the-command-line');
const ZONE_FILES = howTo('zone-files');
const IMPORT = howTo('import-zones');
const UNDO = howTo('undo');
const UPDATES = howTo('dns-updates');
const POWERDNS = howTo('powerdns-api');
const OCTODNS = howTo('octodns');
const CERTBOT = howTo('certbot');
const DYNDNS = howTo('dynamic-addresses');
const ADOPT = howTo('adopt-existing-zone');
const TEAMS = howTo('manage-teams');
const SYMPTOMS = howTo('troubleshoot');
const ACME = howTo('acme-clients');
const EXTERNAL_DNS = howTo('external-dns');
const BACKUP = howTo('back-up-and-restore');
const CLOUDNATIVEPG = howTo('cloudnativepg');
const SOLVER = howTo('cert-manager');
const HELM = howTo('install-helm');
const SMALL = howTo('from-small-to-production');
const TRUSTS = howTo('trusts-of-the-chart');
const PUBLISH = howTo('publish-a-release');
const TRACE = howTo('trace-a-change');
const CANARY = howTo('measure-dns-from-outside');
const CLUSTERS = howTo('several-clusters');
const FAIL_OVER = howTo('fail-over');
const TAKE_OUT = howTo('take-an-address-out');
const RESTORED = howTo('after-an-etcd-restore');
const PLUGIN = howTo('kubectl-plugin');
const TRUST_KUBERNETES = howTo('trust-kubernetes');
const TRUST_OPENID = howTo('trust-openid');
const ALERTS = 'docs/reference/alerts.md';

const MACHINE = 'test/e2e/docs/local.test.ts';
const NODE = 'test/e2e/node/docs.ts';
const INSTALL = 'test/e2e/docs/install.test.ts';
const MOVES = 'test/integration/cli/import-pages.test.ts';
const TRUST_PAGES = 'test/integration/cli/trust-pages.test.ts';

export const PLAN = {
  /** Runs until Ctrl-C; its output is shown after it. */
  up: { test: MACHINE, choices: begins(FIRST_ZONE, 'npm run up     #') },
  tour: {
    test: MACHINE,
    choices: [
      ...begins(FIRST_ZONE, 'source .local/env'),
      ...['Create a zone', 'Verify DNSSEC', 'Make a mistake', 'Clean up'].map((name) =>
        block(FIRST_ZONE, name, FIRST_ZONE_PROOFS),
      ),
      block(REST, 'REST in ten minutes', REST_PROOFS),
      block(SHARE, 'Share a zone', SHARE_PROOFS),
      ...begins(LOCAL, 'npm run up -- --help'),
      ...begins(
        KEYS,
        'zonestead admin users add',
        'zonestead admin keys mint --team',
        'zonestead admin keys list',
        'zonestead admin keys revoke',
      ),
      ...begins(KEYS, 'zonestead admin keys mint --help', 'me="Authorization', 'curl -s -H "$me"'),
      ...proven(TOUR_PROOFS.node, begins(NODES, 'zonestead admin keys mint --node')),
      block(COMMAND_LINE, 'Manage zones and records on the command line'),
      ...['Export', 'Import'].map((name) => block(ZONE_FILES, name, TOUR_PROOFS.zoneFile)),
      block(UNDO, 'Undo changes and restore zones', TOUR_PROOFS.undoSetUp),
      block(UNDO, 'Undo a change', TOUR_PROOFS.undo),
      block(UNDO, 'Restore the records of a zone', TOUR_PROOFS.restoreRecords),
      block(UNDO, 'Restore a deleted zone', TOUR_PROOFS.restoreZone),
      block(ADOPT, 'Manage an existing zone with objects', TOUR_PROOFS.adopt),
      ...begins(
        SECONDARIES,
        ...['add', 'config', 'list', 'change'].map((each) => `zonestead admin secondaries ${each}`),
      ),
      ...begins(SECONDARIES, 'zonestead zones secondaries', 'zonestead admin secondaries remove'),
      ...proven(TOUR_PROOFS.user, begins(TEAMS, 'zonestead admin users')),
      ...begins(TEAMS, 'zonestead admin teams', 'zonestead zones delete', 'zonestead admin zones'),
      ...begins('docs/reference/dnszone.md', 'kubectl explain'),
      ...begins('docs/reference/dnsrecord.md', 'kubectl explain'),
    ],
  },
  pictures: { test: MACHINE, choices: begins(LOCAL, 'node test/screenshots.ts') },
  /** Another `up`, over the state of the first. */
  'up with cert-manager': { test: MACHINE, choices: begins(CERTIFICATE, 'npm run up -- --cert-manager') },
  certificates: {
    test: MACHINE,
    choices: [
      ...proven(CERTIFICATE_PROOFS, begins(CERTIFICATE, 'kubectl apply')),
      ...begins(CERTIFICATE, 'kubectl get certificates', 'kubectl wait', 'kubectl get secret'),
      ...begins(CERTIFICATE, 'zonestead doctor', 'kubectl delete'),
    ],
  },
  'by symptom': {
    test: MACHINE,
    choices: proven(SYMPTOM_PROOFS, [
      ...begins(BACKUP, 'kubectl get zdz -o custom-columns'),
      ...begins(howTo('delegate-a-zone'), 'kubectl get zdz NAME', 'zonestead zones ds'),
      ...begins(
        SYMPTOMS,
        'kubectl describe zdr',
        'kubectl get zdz NAME',
        'dig +norecurse',
        'zonestead admin keys mint',
      ),
      ...begins(SYMPTOMS, 'zonestead admin nodes list', 'zonestead admin nodes compare'),
      ...begins(SYMPTOMS, 'zonestead doctor', 'kubectl get apiservice', 'select pid', 'kubectl patch zdz NAME'),
      ...begins(howTo('own-team-key'), 'zonestead admin keys mint'),
      ...begins(howTo('upgrade'), 'zonestead admin upgrade-check', 'zonestead migrate'),
      ...begins(howTo('cordon-name-servers'), 'zonestead admin nameservers'),
      ...begins(ALERTS, 'dig +norecurse @ADDRESS', 'dig @RESOLVER', 'kubectl get zdz,zdr -A', 'kubectl get zdz -A'),
      ...begins(ALERTS, 'zonestead admin keys list --team', 'select ', 'zonestead admin nodes accept-removals'),
    ]),
  },
  'acme files': {
    test: MACHINE,
    choices: proven(
      ACME_PROOFS,
      begins(ACME, 'zonestead() {', 'zonestead admin keys mint', 'cat ', 'zonestead acme --cred', 'curl -X POST'),
    ),
  },
  'external-dns provider': { test: MACHINE, choices: begins(EXTERNAL_DNS, 'ZONESTEAD_URL=https://dns.example.net') },
  'external-dns': {
    test: 'test/e2e/external-dns/sources.test.ts',
    choices: begins(EXTERNAL_DNS, 'external-dns --provider'),
  },
  'acme clients': {
    test: 'test/e2e/acme/clients.test.ts',
    choices: begins(ACME, 'certbot certonly', 'EXEC_PATH=', 'dehydrated -c', 'uacme -h', 'HTTPREQ_ENDPOINT='),
  },
  canary: {
    test: 'test/integration/canary/command.test.ts',
    choices: [block(CANARY, 'Measure once'), ...begins(CANARY, 'zonestead admin keys mint --team canary')],
  },
  'command line installed': {
    test: 'test/integration/cli/single-file.test.ts',
    choices: ['Install', 'Log in', 'Completion', 'Change records', 'Zone files', 'History'].map((each) =>
      block(COMMAND_LINE, each),
    ),
  },
  clusters: {
    test: 'test/integration/cli/clusters.test.ts',
    choices: [
      ...begins(CLUSTERS, ...['list', 'drain', 'restore', 'release'].map((each) => `zonestead clusters ${each}`)),
      ...begins(CLUSTERS, 'zonestead owners', 'zonestead clusters remove'),
    ],
  },
  checks: {
    test: 'test/integration/cli/checks.test.ts',
    choices: [
      ...begins(FAIL_OVER, 'zonestead checks set', 'zonestead records create', 'zonestead checks show'),
      ...begins(ALERTS, 'zonestead checks list'),
      ...begins(FAIL_OVER, 'zonestead records list'),
      ...['pin', 'show', 'unpin'].flatMap((each) => begins(TAKE_OUT, `zonestead checks ${each}`)),
    ],
  },
  weights: { test: 'test/integration/cli/weights.test.ts', choices: begins(howTo('blue-and-green'), 'zonestead') },
  'kubectl plugin': {
    test: 'test/integration/cli/kubectl.test.ts',
    choices: ['Install', 'Find the cause'].map((each) => block(PLUGIN, each)),
  },
  import: {
    test: MOVES,
    choices: ['Import', 'Write manifests instead'].map((each) => block(IMPORT, each)),
  },
  'from BIND': { test: MOVES, choices: [block(howTo('migrate/from-bind'), 'Migrate a zone from BIND')] },
  'from PowerDNS': { test: MOVES, choices: [block(howTo('migrate/from-powerdns'), 'Migrate from PowerDNS')] },
  'from PowerDNS-Operator': {
    test: MOVES,
    choices: [block(howTo('migrate/from-powerdns-operator'), 'Migrate from PowerDNS-Operator')],
  },
  'from external-dns': {
    test: MOVES,
    choices: [block(howTo('migrate/from-external-dns'), 'Migrate a zone that external-dns writes')],
  },
  'from Cloudflare': {
    test: MOVES,
    choices: [block(howTo('migrate/from-cloudflare'), 'Migrate a zone from Cloudflare')],
  },
  'from deSEC': { test: MOVES, choices: [block(howTo('migrate/from-desec'), 'Migrate a zone from deSEC')] },
  'divided zone': { test: MOVES, choices: [block(howTo('divide-a-large-zone'), 'Move the records')] },
  'trust in GitHub': { test: TRUST_PAGES, choices: [block(howTo('trust-github-actions'), 'Create the trust')] },
  'trust in GitLab': { test: TRUST_PAGES, choices: [block(howTo('trust-gitlab'), 'Create the trust')] },
  'trust in SPIFFE': {
    test: TRUST_PAGES,
    choices: ['Create the trust', 'Use the JWT-SVID'].map((each) => block(howTo('trust-spiffe'), each)),
  },
  'trust in an OpenID issuer': {
    test: TRUST_PAGES,
    choices: ['Create the trust', 'Test a token'].map((each) => block(TRUST_OPENID, each)),
  },
  'trust in a cluster': {
    test: TRUST_PAGES,
    choices: ['Trust a cluster', 'Use the token in a pod'].map((each) => block(TRUST_KUBERNETES, each)),
  },
  'dns updates': {
    test: 'test/integration/doors/dns-update/page.test.ts',
    choices: [
      'Prepare',
      'Add, replace and delete',
      'Change a name only if it has no records',
      'Read a zone',
      'If an update is refused',
    ].map((each) => block(UPDATES, each)),
  },
  'powerdns api': {
    test: 'test/integration/doors/powerdns/page.test.ts',
    choices: begins(POWERDNS, 'zonestead admin keys mint', 'curl '),
  },
  octodns: {
    test: 'test/e2e/doors/octodns.test.ts',
    choices: ['Set octoDNS up', 'Move a zone in', 'Change the zone', 'Move a zone out'].map((each) =>
      block(OCTODNS, each),
    ),
  },
  'certbot by updates': {
    test: 'test/e2e/doors/certificates.test.ts',
    choices: ['Create the key', 'Check that the key can do nothing else', 'Get the certificate'].map((each) =>
      block(CERTBOT, each),
    ),
  },
  'dynamic addresses': {
    test: 'test/integration/doors/dyndns/page.test.ts',
    choices: begins(DYNDNS, 'zonestead admin keys mint', 'curl ', 'ddclient ', 'inadyn '),
  },
  'several clusters': {
    test: 'test/e2e/operator/two-clusters.test.ts',
    choices: begins(CLUSTERS, 'kubectl label namespace', 'kubectl apply -f west.yaml'),
  },
  'after an etcd restore': {
    test: 'test/e2e/operator/etcd-restore.test.ts',
    choices: begins(
      RESTORED,
      'zonestead clusters list',
      'kubectl get dnsrecords',
      'zonestead owners manifests',
      'kubectl apply',
      'zonestead clusters accept-older',
    ),
  },
  'without Kubernetes': {
    test: 'test/integration/deploy/local/up-without-kubernetes.test.ts',
    choices: begins(LOCAL, 'npm run up -- --without-kubernetes'),
  },
  'changed without the api': {
    test: 'test/integration/nameserver/pause-page.test.ts',
    choices: [block(howTo('pause-changes'), 'Change a record while the api is down')],
  },
  fresh: { test: 'test/e2e/up.test.ts', choices: begins(LOCAL, 'npm run up -- --fresh') },
  backup: {
    test: 'test/e2e/backup.test.ts',
    choices: begins(BACKUP, 'pg_dump --format', 'pg_restore --single-transaction'),
  },
  volumes: {
    test: 'test/integration/chart/volumes.test.ts',
    choices: [
      ...begins(howTo('volumes'), 'kubectl get storageclass'),
      ...['Enlarge the volumes of name servers', 'Enlarge the volume of the built-in database'].map((each) =>
        block(howTo('volumes'), each, VOLUME_PROOFS),
      ),
      block(howTo('volumes'), 'Change the storage class of name servers', VOLUME_PROOFS),
    ],
  },
  cloudnativepg: {
    test: 'test/integration/chart/cloudnativepg-operator.test.ts',
    choices: [
      ...['Set up', 'Watch backups and the archive'].map((each) => block(CLOUDNATIVEPG, each)),
      block(CLOUDNATIVEPG, 'Restore to a point in time', CLOUDNATIVEPG_PROOFS),
      ...begins(CLOUDNATIVEPG, 'kubectl describe cluster'),
    ],
  },
  'point in time': {
    test: 'test/e2e/point-in-time.test.ts',
    choices: begins(
      BACKUP,
      'pg_basebackup',
      'zonestead admin after-restore',
      'zonestead admin nodes salvage --all',
      'zonestead admin nodes accept-removals',
    ),
  },
  'solver by hand': {
    test: MACHINE,
    choices: [
      block(SOLVER, 'By hand', SOLVER_PROOFS),
      block(SOLVER, 'Uninstall the solver', SOLVER_PROOFS),
      ...proven(SOLVER_PROOFS, begins(howTo('install-manifests'), 'kubectl apply -k deploy/manifests')),
    ],
  },
  secrets: {
    test: MACHINE,
    choices: proven(SECRET_PROOFS, [
      ...begins(howTo('external-postgres'), 'kubectl create secret generic'),
      ...begins(NODES, 'kubectl create secret generic'),
    ]),
  },
  generated: {
    test: MACHINE,
    choices: [
      ...begins(howTo('monitor'), 'promtool test rules', 'npm run generate -- chart'),
      ...begins('CONTRIBUTING.md', 'npm run generate', 'npx drizzle-kit generate'),
      ...begins('test/README.md', 'npm run mutate -- --list'),
    ],
  },
  images: {
    test: INSTALL,
    choices: [
      ...begins(howTo('build-images'), 'npm run image -- postgres'),
      ...begins(NODES, 'npm run image'),
      ...begins(HELM, 'npm run image'),
      // Last: kind and containerd then load archives of two platforms.
      ...begins(howTo('build-images'), 'npm run image -- --platform'),
    ],
  },
  'images in kind': { test: INSTALL, choices: begins(HELM, 'kind load') },
  'images in containerd': { test: INSTALL, choices: begins(HELM, 'ctr ') },
  published: { test: INSTALL, choices: ['Publish', 'Verify'].map((each) => block(PUBLISH, each)) },
  'from a registry': { test: NODE, choices: begins(HELM, 'helm install zonestead oci') },
  installed: {
    test: NODE,
    choices: [
      block(HELM, 'Install'),
      ...begins(TRACE, 'kubectl get --namespace', 'kubectl logs', 'psql'),
      ...begins(SYMPTOMS, 'kubectl get lease'),
    ],
  },
  /** In the installed release. */
  'first user': {
    test: NODE,
    choices: [
      block(KEYS, 'Run `zonestead` commands in a cluster'),
      ...begins(
        KEYS,
        'zonestead admin users add',
        'kubectl port-forward',
        'zonestead admin keys mint --team',
        'zonestead admin keys list',
      ),
      ...begins(KEYS, 'zonestead admin keys revoke', 'curl -sf'),
    ],
  },
  small: {
    test: 'test/e2e/node/small.test.ts',
    choices: [block(HELM, 'One pod'), block(SMALL, 'Upgrade the release'), ...begins(SMALL, 'kubectl delete pvc')],
  },
  /** After that, in the same release. */
  'own names': { test: NODE, choices: [block(TRUSTS, 'Names for every namespace')] },
  runbooks: { test: NODE, choices: begins(ALERTS, 'kubectl -n NS get', 'kubectl -n NS logs') },
  upgraded: {
    test: NODE,
    choices: [
      ...begins(howTo('rotate-keys'), 'helm upgrade', 'kubectl delete secret', 'kubectl create job'),
      ...begins(howTo('upgrade'), 'helm upgrade', 'helm rollback zonestead'),
      ...begins(ALERTS, 'kubectl -n NS rollout status', 'kubectl -n NS rollout undo'),
      ...begins(BACKUP, 'kubectl scale --namespace zonestead deployment/zonestead-'),
    ],
  },
  uninstalled: {
    test: NODE,
    choices: begins(howTo('uninstall'), 'helm uninstall', 'kubectl delete crd', 'kubectl delete secret'),
  },
  kind: { test: MACHINE, choices: begins(LOCAL, 'npm run kind') },
  'documentation site': {
    test: 'test/integration/docs/site.test.ts',
    choices: begins(howTo('build-the-documentation'), 'npm run docs:dev', 'npm run docs:build'),
  },
  ...OPERATION_PAGES,
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof PLAN;
