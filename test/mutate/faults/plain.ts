// Faults that let keys and tokens cross a network in plain text.
import { noticedBy } from './fault.ts';

const requests = noticedBy('plain', 'test/integration/http/plain-requests.test.ts');
const exposed = noticedBy('plain', 'test/integration/chart/exposure.test.ts');

const database = noticedBy('plain', 'test/integration/deploy/image/start-postgres.test.ts');

export const PLAIN_FAULTS = [
  requests(
    'any-machine',
    'next to HTTPS, a key of another machine works without TLS',
    'src/api/app.ts',
    '  if (hasTls) refusePlainRequests(app, isTrusted);\n',
    '',
  ),
  requests(
    'mesh',
    'an api without TLS, in a service mesh that encrypts, refuses every client',
    'src/api/app.ts',
    'if (hasTls) refusePlainRequests',
    'refusePlainRequests',
  ),
  requests(
    'proxies',
    'an Ingress controller gets no answer at the port without TLS',
    'src/http/hooks/plain-requests.ts',
    'isTrusted(remoteAddress) || ',
    '',
  ),
  requests(
    'proxy-protocol',
    'a load balancer that sends the PROXY protocol gets no answer at the port without TLS',
    'src/http/hooks/plain-requests.ts',
    'isRenamed(socket) || ',
    '',
  ),
  exposed(
    'service',
    'the Service of the api has a port without TLS by default',
    'charts/zonestead/templates/_exposure.tpl',
    '{{- if $asked }}true{{ end -}}',
    'true',
  ),
  exposed(
    'listen',
    'every pod of the cluster reaches the port of the api without TLS at the address of its pod',
    'charts/zonestead/templates/api.yaml',
    'value: "127.0.0.1:8080"',
    'value: "*:8080"',
  ),
  exposed(
    'backend',
    'an Ingress leads to a port that the Service does not have',
    'charts/zonestead/templates/ingress.yaml',
    'ternary "http" "https" $isPlain',
    'ternary "http" "http" $isPlain',
  ),
  exposed(
    'api-from',
    'networkPolicy.apiFrom does not limit who reaches the port without TLS',
    'charts/zonestead/templates/_networkpolicies.tpl',
    '- ports: [{ port: http }]\n{{- with .root.Values.networkPolicy.apiFrom }}',
    '- ports: [{ port: http }]\n{{- with .root.Values.networkPolicy.noSuchValue }}',
  ),
  database(
    'postgres',
    'the built-in Postgres takes passwords of other machines without TLS',
    'charts/zonestead/templates/postgres.yaml',
    '    hostssl all all all ',
    '    host    all all all ',
  ),
  database(
    'postgres-rules',
    'the built-in Postgres reads the rules in its data folder, which those of the official image make open',
    'charts/zonestead/templates/postgres.yaml',
    '            - -c\n            - hba_file=/etc/postgres-hba/pg_hba.conf\n',
    '',
  ),
  database(
    'postgres-image',
    'the Postgres of the image takes passwords of other machines without TLS',
    'deploy/image/start-postgres.sh',
    'hostssl all all all',
    'host all all all',
  ),
] as const;
