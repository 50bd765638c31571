// Which test types which commands of the pages, in which order; and the few that none does, each with its reason. Data alone: the
// words are the pages' own, found by section or by how they begin.

export const PAGES = [
  'README.md',
  'charts/zonestead/README.md',
  'deploy/README.md',
  'deploy/image/README.md',
  'deploy/observability/README.md',
  'deploy/observability/runbooks.md',
];

/** Commands of a page: all in blocks of a section, or those that begin so. */
export interface Choice {
  page: string;
  section?: string;
  begins?: string;
}

export interface Scenario {
  /** Where it is followed. */
  test: string;
  choices: Choice[];
}

const README = 'README.md';
const CHART = 'charts/zonestead/README.md';
const DEPLOY = 'deploy/README.md';
const IMAGE = 'deploy/image/README.md';
const SEEN = 'deploy/observability/README.md';
const RUNBOOKS = 'deploy/observability/runbooks.md';

const block = (page: string, section: string): Choice => ({ page, section });
const begins = (page: string, ...starts: string[]): Choice[] => starts.map((start) => ({ page, begins: start }));

const MACHINE = 'test/e2e/docs.test.ts';
const NODE = 'test/e2e/node/docs.ts';

export const PLAN = {
  /** Runs until Ctrl-C; what it prints is shown after it. */
  up: { test: MACHINE, choices: [{ page: README, begins: 'npm run up     #' }] },
  tour: {
    test: MACHINE,
    choices: [
      ...begins(README, 'source .local/env'),
      block(README, 'A tour in five minutes'),
      ...begins(
        README,
        'npm run up -- --help',
        'kubectl explain dnszone',
        'kubectl explain dnsrecord',
        'kubectl label namespace',
      ),
      block(README, 'Keys'),
      ...begins(README, 'npm start -s -- keys mint --help'),
    ],
  },
  pictures: { test: MACHINE, choices: begins(README, 'npm run screenshots') },
  /** Another `up`, over the state of the first. */
  'up with cert-manager': { test: MACHINE, choices: begins(README, 'npm run up -- --cert-manager') },
  certificates: {
    test: MACHINE,
    choices: [
      ...begins(README, 'kubectl apply -f deploy/examples/certificate.yaml', 'kubectl get certificates'),
      ...begins(
        README,
        'kubectl wait --for=condition=Ready --timeout=60s certificate',
        'kubectl get secret quickstart-tls',
      ),
      ...begins(README, 'npm start -s -- doctor'),
    ],
  },
  'by symptom': {
    test: MACHINE,
    choices: [
      ...begins(DEPLOY, 'kubectl get zdz -o custom-columns', 'kubectl describe zdr', 'kubectl get zdz NAME'),
      ...begins(DEPLOY, 'dig +norecurse', 'zonestead keys mint', 'zonestead doctor', 'kubectl get apiservice'),
      ...begins(DEPLOY, 'select pid', 'pdnsutil', 'kubectl patch zdr NAME', 'zonestead migrate'),
      ...begins(RUNBOOKS, 'dig +norecurse @ADDRESS', 'dig @RESOLVER', 'kubectl get zdz,zdr -A', 'kubectl get zdz -A'),
      ...begins(RUNBOOKS, 'zonestead keys list --team', 'select '),
    ],
  },
  'acme files': {
    test: MACHINE,
    choices: [
      ...begins(README, 'zonestead() {', 'zonestead keys mint', 'cat /etc/zonestead/acme'),
      ...begins(README, 'zonestead acme --credentials', 'curl -X POST -u auth.example.org'),
    ],
  },
  'external-dns provider': { test: MACHINE, choices: begins(README, 'ZONESTEAD_URL=https://dns.example.net') },
  'external-dns': { test: 'test/e2e/external-dns/sources.test.ts', choices: begins(README, 'external-dns --provider') },
  'acme clients': {
    test: 'test/e2e/acme/clients.test.ts',
    choices: begins(README, 'certbot certonly', 'EXEC_PATH=', 'dehydrated -c', 'uacme -h', 'HTTPREQ_ENDPOINT='),
  },
  fresh: { test: 'test/e2e/up.test.ts', choices: begins(README, 'npm run up -- --fresh') },
  backup: {
    test: 'test/e2e/backup.test.ts',
    choices: begins(DEPLOY, 'pg_dump --format', 'pg_restore --single-transaction'),
  },
  'solver by hand': {
    test: MACHINE,
    choices: begins(
      README,
      'kubectl apply -f deploy/manifests/namespace.yaml',
      'kubectl apply -f deploy/solver/apiservice.yaml',
      'kubectl apply -f deploy/examples/clusterissuer.yaml',
      'kubectl delete apiservice',
      'kubectl apply -k deploy/manifests',
    ),
  },
  database: { test: MACHINE, choices: begins(CHART, 'kubectl create secret generic zonestead-postgres') },
  generated: {
    test: MACHINE,
    choices: [...begins(SEEN, 'promtool test rules', 'node deploy/observability/generate.ts')],
  },
  images: { test: MACHINE, choices: begins(IMAGE, 'npm run image') },
  installed: {
    test: NODE,
    choices: [
      ...begins(CHART, 'helm install', 'kubectl label namespace zonestead', 'helm test zonestead'),
      ...begins(SEEN, 'kubectl get --namespace', 'kubectl logs'),
      ...begins(SEEN, 'psql'),
      ...begins(DEPLOY, 'kubectl get lease'),
    ],
  },
  runbooks: { test: NODE, choices: begins(RUNBOOKS, 'kubectl -n NS get', 'kubectl -n NS logs') },
  upgraded: {
    test: NODE,
    choices: [
      ...begins(CHART, 'helm upgrade', 'helm rollback zonestead'),
      ...begins(RUNBOOKS, 'kubectl -n NS rollout status', 'kubectl -n NS rollout undo'),
      ...begins(DEPLOY, 'kubectl scale --namespace zonestead deployment/zonestead-api'),
    ],
  },
  uninstalled: { test: NODE, choices: begins(CHART, 'helm uninstall', 'kubectl delete crd', 'kubectl delete secret') },
  kind: { test: MACHINE, choices: begins(README, 'npm run kind') },
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof PLAN;

/** Commands that the pages show to be refused: they end with another code than 0. Begins as written here. */
export const REFUSED = [`kubectl patch zdr mine-www --type merge -p '{"spec":{"content":"300`, 'npm run kind'];

/** What no test types, and why that is right. Begins as written here. */
export const EXCEPTIONS: Readonly<Record<string, string>> = {
  'npm test': 'it is the run that would type it',
  'node test/bench/': 'a measurement of minutes, that needs a machine for itself; what it says is in the closing notes',
  'podman build': 'needs a container engine and a registry; npm run image, which needs neither, is typed',
  'ctr -n k8s.io images import': 'the test node does it with the socket of its own containerd',
  'acme.sh --issue': 'acme.sh is in no registry of packages; its two functions are called as it calls them',
};
