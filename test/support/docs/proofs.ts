// The results of commands of the plan that change something and whose pages show no output. A page whose command did
// nothing would be followed without these, because the command ends with code 0. This file is data, like the plan.

/** The object that is there after a command. A choice of the plan has the proofs of its commands. */
export interface Proof {
  /** The commands, by their first words. */
  begins: string;
  /** The command that looks, as a reader would type it. Absent: the pattern is for the output of the command itself. */
  look?: string;
  shows: RegExp;
  /** The looking command is repeated for this long, in seconds. (Default: 10. Longer only if the page says so.) */
  seconds?: number;
}

const proof = (begins: string, look: string, shows: RegExp, seconds?: number): Proof => ({
  begins,
  look,
  shows,
  ...(seconds === undefined ? {} : { seconds }),
});
const secret = (namespace: string, name: string, key: string) =>
  `kubectl get secret ${name} -n ${namespace} -o go-template='{{index .data "${key}"}}'`;
const STATUS_OF_ZONE = `curl -s -o /dev/null -w '%{http_code}' -H "$auth" $ZONESTEAD_URL/v1/dns/zones/$id`;
const UNDO_RECORDS = 'zonestead records list undo.example';

export const FIRST_ZONE_PROOFS: readonly Proof[] = [
  proof(
    'kubectl patch zdr mine-www --type merge -p \'{"spec":{"content":"192.0.2.77"',
    "kubectl get zdr mine-www -o jsonpath='{.spec.content} {.spec.ttl}'",
    /^192\.0\.2\.77 60$/,
  ),
  proof('rm mine.yaml anchor', 'ls', /^(?![\s\S]*\b(mine\.yaml|anchor)\b)/),
];

export const REST_PROOFS: readonly Proof[] = [
  proof(
    "curl -s -w '\\n' -H \"$auth\" -H 'content-type: application/json' $ZONESTEAD_URL/v1/dns/zones/$id/records:batch",
    'dig +short @127.0.0.1 -p $ZONESTEAD_DNS_PORT www.rest.example A',
    /^192\.0\.2\.1$/,
  ),
  proof('curl -sf -X DELETE', STATUS_OF_ZONE, /^404$/),
];

export const SHARE_PROOFS: readonly Proof[] = [
  proof('kubectl apply -f deploy/examples/tenancy.yaml', 'kubectl get zdr -n blog refused -o name', /refused$/),
  proof(
    'kubectl patch zdz tenants',
    "kubectl get zdz tenants -n dns-platform -o jsonpath='{.spec.allowedRecords}'",
    /^\[\]$/,
  ),
  proof(
    'kubectl delete -f deploy/examples/tenancy.yaml',
    'kubectl get namespace dns-platform shop blog --ignore-not-found -o name',
    /^$/,
  ),
];

export const TOUR_PROOFS = {
  node: [proof('zonestead admin keys mint --node eu', 'zonestead admin keys list', /\(name server\) +eu /)],
  zoneFile: [
    proof('curl -sf -H "$auth" -o zonefile.txt', 'cat zonefile.txt', /\sSOA\s/),
    proof('curl -sf -X PUT', 'zonestead records list zonefile.example', /^www +A .*192\.0\.2\.1$/m),
  ],
  undoSetUp: [
    proof('zonestead zones create', 'zonestead zones get undo.example', /^state +active$/m),
    proof('record=', UNDO_RECORDS, /^www +A .*192\.0\.2\.1$/m),
  ],
  undo: [
    proof('curl -sf -X DELETE', UNDO_RECORDS, /^(?![\s\S]*\bwww\b)/),
    proof('curl -sf -H "$auth" -H "$json" -d "{\\"changes\\": [$change]}"', UNDO_RECORDS, /^www +A .*192\.0\.2\.1$/m),
  ],
  restoreRecords: [
    proof('curl -sf -X DELETE', UNDO_RECORDS, /^(?![\s\S]*\bwww\b)/),
    proof('curl -sf -H "$auth" -H "$json" -d "{\\"at\\": \\"$at\\"}"', UNDO_RECORDS, /^www +A .*192\.0\.2\.1$/m),
  ],
  restoreZone: [proof('zonestead zones delete', 'zonestead zones deleted', /^undo\.example /m)],
  adopt: [
    proof(
      'kubectl label namespace',
      "kubectl get namespace default -o jsonpath='{.metadata.labels}'",
      /"zonestead\.dev\/existing-zones":"allow"/,
    ),
    proof('zonestead zones export', 'cat shop.yaml', /^kind: DNSZone$/m),
  ],
  user: [proof('zonestead admin users add --email ada@example.org', 'zonestead admin users list', /ada@example\.org/)],
} as const satisfies Record<string, readonly Proof[]>;

export const CERTIFICATE_PROOFS: readonly Proof[] = [
  proof('kubectl apply', 'kubectl get certificate quickstart -o name', /quickstart$/),
];

export const SYMPTOM_PROOFS: readonly Proof[] = [
  proof('zonestead admin keys mint --team TEAM --name bulk', 'zonestead admin keys list', / bulk +write /),
  proof('zonestead admin keys mint --team TEAM --name cluster', 'zonestead admin keys list', / cluster +write /),
  { begins: 'kubectl patch zdz NAME', shows: /^dnszone\.zonestead\.dev\/quickstart patched/ },
  { begins: 'zonestead admin upgrade-check', shows: /^ok {4}the database has all migrations of this version$/m },
  { begins: 'zonestead admin nameservers cordon', shows: /^cordoned 192\.0\.2\.53 until / },
  { begins: 'zonestead admin nameservers uncordon', shows: /^uncordoned 192\.0\.2\.53/ },
  { begins: 'zonestead admin nameservers list', shows: /^NAME SERVER/ },
  { begins: 'zonestead migrate', shows: /\S/ },
  { begins: 'zonestead admin nodes accept-removals', shows: /\S/ },
];

export const ACME_PROOFS: readonly Proof[] = [
  // curl is content with an error as well.
  { begins: 'curl -X POST', shows: /"fulldomain":/ },
  proof('zonestead admin keys mint', 'zonestead admin keys list', / acme +write /),
  proof(
    'zonestead acme --credentials /etc/zonestead/acme --print hook',
    'ls -l /usr/local/bin/zonestead-acme',
    /^-rwxr-xr-x /,
  ),
  proof(
    'zonestead acme --credentials /etc/zonestead/acme --print acme.sh',
    'cat ~/.acme.sh/dnsapi/dns_zonestead.sh',
    /^dns_zonestead_add\(\)/m,
  ),
];

export const SOLVER_PROOFS: readonly Proof[] = [
  proof(
    'kubectl apply -f deploy/manifests/namespace.yaml',
    'kubectl get certificate -n zonestead zonestead-solver -o name',
    /zonestead-solver$/,
  ),
  proof(
    'kubectl apply -f deploy/solver/apiservice',
    'kubectl get apiservice v1alpha1.acme.zonestead.dev -o name',
    /v1alpha1/,
  ),
  proof('kubectl apply -f deploy/examples/clusterissuer', 'kubectl get clusterissuer zonestead -o name', /zonestead$/),
  proof(
    'kubectl delete apiservice',
    'kubectl get apiservice v1alpha1.acme.zonestead.dev --ignore-not-found -o name',
    /^$/,
  ),
  proof('kubectl apply -k', 'kubectl get deployment -n zonestead zonestead-operator -o name', /zonestead-operator$/),
];

export const SECRET_PROOFS: readonly Proof[] = [
  proof(
    'kubectl create secret generic zonestead-postgres',
    secret('zonestead', 'zonestead-postgres', 'uri'),
    /^\S{20}/,
  ),
  proof(
    'kubectl create secret generic zonestead-node-key',
    secret('zonestead', 'zonestead-node-key', 'nodeKey'),
    /^\S{4}/,
  ),
];

const claim = (name: string) =>
  `kubectl get pvc data-zonestead-${name}-0 -n zonestead -o jsonpath='{.spec.resources.requests.storage}'`;
const claimTemplate = (name: string, field: string) =>
  `kubectl get statefulset zonestead-${name} -n zonestead -o jsonpath='{.spec.volumeClaimTemplates[0].spec.${field}}'`;
const UPGRADE = 'helm upgrade zonestead charts/zonestead --namespace zonestead --reset-then-reuse-values --set ';
/** Nothing, or the time of its deletion. */
const DELETED = "kubectl get -n zonestead --ignore-not-found -o jsonpath='{.metadata.deletionTimestamp}'";
/** Its pod stays. */
const orphans = (name: string): Proof =>
  proof(
    `kubectl delete statefulset zonestead-${name}`,
    `kubectl get statefulset,pod -n zonestead -o name | grep ${name}`,
    new RegExp(`^pod/zonestead-${name}-0$`),
  );
export const VOLUME_PROOFS: readonly Proof[] = [
  proof('kubectl get pvc --namespace zonestead --selector', claim('nameserver'), /^2Gi$/),
  proof('kubectl patch pvc data-zonestead-postgres-0', claim('postgres'), /^10Gi$/),
  orphans('nameserver'),
  orphans('postgres'),
  proof(`${UPGRADE}nameserver.persistence.size`, claimTemplate('nameserver', 'resources.requests.storage'), /^2Gi$/),
  proof(`${UPGRADE}nameserver.persistence.storageClassName`, claimTemplate('nameserver', 'storageClassName'), /^fast$/),
  proof('kubectl delete pvc data-zonestead-nameserver-0', `${DELETED} pvc data-zonestead-nameserver-0`, /^(\d.*)?$/),
  proof('kubectl delete pod zonestead-nameserver-0', `${DELETED} pod zonestead-nameserver-0`, /^(\d.*)?$/),
  proof(`${UPGRADE}database`, claimTemplate('postgres', 'resources.requests.storage'), /^10Gi$/),
];

export const CLOUDNATIVEPG_PROOFS: readonly Proof[] = [
  proof(
    'kubectl scale --namespace zonestead deployment/zonestead-api',
    "kubectl get deployment zonestead-api -n zonestead -o jsonpath='{.spec.replicas}'",
    /^0$/,
  ),
  // The new Cluster has a login of its own, and the old one is there.
  proof(
    'helm upgrade zonestead charts/zonestead --namespace zonestead --reset-then-reuse-values --values restore.yaml',
    'kubectl get cluster zonestead-db zonestead-db-2 -n zonestead -o name',
    /zonestead-db\n.*zonestead-db-2$/,
  ),
  proof(
    'helm upgrade zonestead charts/zonestead --namespace zonestead --reset-then-reuse-values --set api.replicaCount=2',
    "kubectl get deployment zonestead-api -n zonestead -o jsonpath='{.spec.replicas} {.spec.template.spec.volumes}'",
    /^2 .*zonestead-db-2-app/,
  ),
  proof('kubectl delete cluster', 'kubectl get cluster -n zonestead -o name', /^cluster\S*\/zonestead-db-2$/),
];
