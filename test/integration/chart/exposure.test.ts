// The Ingress and the HTTPRoute of the chart: off by default, with TLS, and with the settings of the api that follow
// from them. The tests need no cluster; server.test.ts gives both to a real kube-apiserver.
import { expect, test } from 'vitest';
import { one, type Rendered, render, template, type Values } from '../../support/chart/chart.ts';
import { VALUE_SETS } from '../../support/chart/chart-values.ts';
import { letsIn, type Source, toTarget } from '../../support/chart/network-policies.ts';

const HOST = 'dns.example.net';
const trusted = { trustedProxies: ['10.0.0.0/8'] };
const withTls = { enabled: true, hosts: [{ host: HOST }], tls: [{ secretName: 'dns-tls', hosts: [HOST] }] };
const route = { enabled: true, parentRefs: [{ name: 'gateway', sectionName: 'https' }], hostnames: [HOST] };

const settings = (objects: readonly Rendered[]): Record<string, string> => {
  const [container] = one(objects, 'Deployment', 'zonestead-api').spec.template.spec.containers;
  return Object.fromEntries(container.env.map(({ name, value }: Rendered) => [name, value]));
};
const consoleUrl = async (values: Values) => settings(await render(values)).ZONESTEAD_CONSOLE_URL;
const refusal = async (values: Values) => {
  const { ok, text } = await template(values);
  return ok ? 'accepted' : text;
};

test('the defaults expose nothing', async () => {
  const objects = await render({});
  expect(objects.filter(({ kind }) => ['Ingress', 'HTTPRoute', 'Gateway'].includes(kind ?? ''))).toEqual([]);
  const types = objects.filter(({ kind }) => kind === 'Service').map(({ spec }) => spec.type ?? 'ClusterIP');
  expect(new Set(types)).toEqual(new Set(['ClusterIP']));
  expect(settings(objects)).not.toHaveProperty('ZONESTEAD_CONSOLE_URL');
});

test('the api has no port without TLS unless a proxy needs one', async () => {
  const ports = async (values: Values) => {
    const objects = await render(values);
    const [{ env, ports: inside }] = one(objects, 'Deployment', 'zonestead-api').spec.template.spec.containers;
    const listen = env.find(({ name }: { name: string }) => name === 'ZONESTEAD_LISTEN')?.value;
    const names = (all: { name: string }[]) => all.map(({ name }) => name).filter((name) => name.startsWith('http'));
    return [names(one(objects, 'Service', 'zonestead-api').spec.ports), names(inside), listen];
  };
  const closed = [['https'], ['https'], '127.0.0.1:8080'];
  const open = [['http', 'https'], ['http', 'https'], undefined];
  expect(await ports({})).toEqual(closed);
  expect(await ports({ api: { service: { type: 'LoadBalancer' } } })).toEqual(closed);
  expect(await ports({ api: trusted, ingress: withTls })).toEqual(open);
  expect(await ports({ api: trusted, httpRoute: route })).toEqual(open);
  expect(await ports({ api: { ...trusted, service: { plain: true } } })).toEqual(open);
  expect(await ports({ api: { ...trusted, service: { plain: false } }, ingress: withTls })).toEqual(closed);
  expect(await ports({ api: { tls: { enabled: false } } })).toEqual([['http'], ['http'], undefined]);
});

test('an Ingress and an HTTPRoute lead to the HTTPS port if the Service has no other', async () => {
  const objects = await render(VALUE_SETS['proxies that use TLS to the api'] ?? {});
  const [{ http }] = one(objects, 'Ingress', 'zonestead-api').spec.rules;
  expect(http.paths[0].backend.service.port).toEqual({ name: 'https' });
  const [{ backendRefs }] = one(objects, 'HTTPRoute', 'zonestead-api').spec.rules;
  expect(backendRefs).toEqual([{ name: 'zonestead-api', port: 8443 }]);
  expect(one(objects, 'Service', 'zonestead-api').spec.ports).toEqual([
    { name: 'https', port: 8443, targetPort: 'https' },
  ]);
});

test('an Ingress leads each host to the HTTP port of the api, with the certificates and annotations of the values', async () => {
  const objects = await render(VALUE_SETS['an Ingress with TLS'] ?? {});
  const { spec, metadata } = one(objects, 'Ingress', 'zonestead-api');
  expect(metadata.annotations).toEqual({ 'cert-manager.io/cluster-issuer': 'public' });
  const backend = { service: { name: 'zonestead-api', port: { name: 'http' } } };
  expect(spec).toEqual({
    ingressClassName: 'nginx',
    tls: [{ secretName: 'dns-tls', hosts: [HOST, '*.dns.example.org'] }],
    rules: [
      { host: HOST, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } },
      {
        host: '*.dns.example.org',
        http: {
          paths: [
            { path: '/v1', pathType: 'Prefix', backend },
            { path: '/console', pathType: 'Exact', backend },
          ],
        },
      },
    ],
  });
  expect(one(objects, 'Service', 'zonestead-api').spec.ports).toContainEqual(expect.objectContaining({ name: 'http' }));
  expect(settings(objects)).toMatchObject({
    ZONESTEAD_TRUSTED_PROXIES: '10.0.0.0/8',
    ZONESTEAD_CONSOLE_URL: `https://${HOST}`,
  });
});

test.each([
  ['no tls', []],
  ['a certificate for another host', [{ secretName: 'a', hosts: ['other.example.net'] }]],
  ['a wildcard for names with one label less', [{ secretName: 'a', hosts: ['*.net'] }]],
])('an Ingress is refused with %s, unless a value permits it', async (_, tls) => {
  const values = { api: trusted, ingress: { ...withTls, tls } };
  expect(await refusal(values)).toContain(`the Ingress has no TLS for ${HOST}`);
  const permitted = { api: trusted, ingress: { ...values.ingress, allowWithoutTls: true } };
  // The address that browsers use is then unknown, and decides whether cookies are Secure.
  expect(await refusal(permitted)).toContain('api.console.url is needed');
  const url = `https://${HOST}`;
  expect(await consoleUrl({ ...permitted, api: { ...trusted, console: { url } } })).toBe(url);
  expect(await refusal({ ...permitted, api: { ...trusted, console: { enabled: false } } })).toBe('accepted');
});

test.each([
  ['without hosts, which is a certificate for all', [{ secretName: 'a' }]],
  ['with a wildcard', [{ secretName: 'a', hosts: ['*.example.net'] }]],
  ['without a Secret, for the default certificate of the controller', [{ hosts: [HOST] }]],
])('an Ingress has TLS through an entry %s', async (_, tls) => {
  expect(await consoleUrl({ api: trusted, ingress: { ...withTls, tls } })).toBe(`https://${HOST}`);
});

test('an Ingress takes the address of the console from the values first, and never from a wildcard', async () => {
  const url = 'https://console.example.net';
  expect(await consoleUrl({ api: { ...trusted, console: { url } }, ingress: withTls })).toBe(url);
  const wildcard = { enabled: true, hosts: [{ host: '*.example.net' }], tls: [{ secretName: 'a' }] };
  expect(await refusal({ api: trusted, ingress: wildcard })).toContain('api.console.url is needed');
  expect(await consoleUrl({ api: trusted, ingress: wildcard, httpRoute: route })).toBe(`https://${HOST}`);
});

test('an Ingress is enough for an OpenID provider, which sends people back to its host', async () => {
  const oidc = { issuer: 'https://login.example.net', clientId: 'zonestead' };
  expect(await refusal({ api: { console: { oidc } } })).toContain('api.console.url, or a host of ingress');
  expect(await consoleUrl({ api: { ...trusted, console: { oidc } }, ingress: withTls })).toBe(`https://${HOST}`);
});

test('an Ingress needs hosts, and an api to lead to', async () => {
  expect(await refusal({ api: trusted, ingress: { enabled: true } })).toContain('ingress.hosts is needed');
  const region = VALUE_SETS['name servers of another region'] ?? {};
  expect(await refusal({ ...region, ingress: withTls })).toContain('ingress.enabled needs api.enabled true');
});

test('an HTTPRoute leads each of its rules to the port of the Service', async () => {
  const objects = await render(VALUE_SETS['an HTTPRoute'] ?? {});
  const { spec, metadata } = one(objects, 'HTTPRoute', 'zonestead-api');
  expect(metadata.labels).toMatchObject({ gateway: 'public' });
  expect(spec.parentRefs).toEqual([{ name: 'gateway', namespace: 'team-a', sectionName: 'https' }]);
  expect(spec.rules).toEqual([
    {
      matches: [{ path: { type: 'PathPrefix', value: '/' } }],
      filters: [expect.objectContaining({ type: 'ResponseHeaderModifier' })],
      timeouts: { request: '60s' },
      backendRefs: [{ name: 'zonestead-api', port: 8080 }],
    },
  ]);
  expect(one(objects, 'Service', 'zonestead-api').spec.ports).toContainEqual(expect.objectContaining({ port: 8080 }));
  expect(settings(objects)).toMatchObject({
    ZONESTEAD_CONSOLE_URL: `https://${HOST}`,
    ZONESTEAD_PROXY_HEADER: 'Forwarded',
  });
});

test.each([
  ['no listener', { name: 'gateway' }],
  ['the port of HTTP', { name: 'gateway', port: 80 }],
])('an HTTPRoute is refused if it names %s, unless a value permits it', async (_, parent) => {
  const values = { api: trusted, httpRoute: { ...route, parentRefs: [parent] } };
  expect(await refusal(values)).toContain('names no HTTPS listener of gateway');
  const permitted = { ...values.httpRoute, allowWithoutTls: true };
  expect(await refusal({ api: trusted, httpRoute: permitted })).toContain('api.console.url is needed');
  const api = { ...trusted, console: { url: `https://${HOST}` } };
  expect(await refusal({ api, httpRoute: permitted })).toBe('accepted');
});

test('an HTTPRoute needs Gateways and host names, and no Service of its own', async () => {
  const needed = 'httpRoute.parentRefs and httpRoute.hostnames are needed';
  expect(await refusal({ api: trusted, httpRoute: { ...route, parentRefs: [] } })).toContain(needed);
  expect(await refusal({ api: trusted, httpRoute: { ...route, hostnames: [] } })).toContain(needed);
  const rules = [{ backendRefs: [{ name: 'other', port: 80 }] }];
  expect(await refusal({ api: trusted, httpRoute: { ...route, rules } })).toContain('must not have backendRefs');
});

test.each([
  ['ingress', withTls],
  ['httpRoute', route],
])('%s needs the addresses of its proxies, which name the client', async (name, values) => {
  expect(await refusal({ [name]: values })).toContain(`api.trustedProxies is needed with ${name}.enabled`);
});

test('networkPolicy.apiFrom limits the api to the proxies and to the pods of the release that use it', async () => {
  const OWN = { 'kubernetes.io/metadata.name': 'zonestead' };
  const component = (name: string, instance = 'zonestead'): Source => ({
    pod: {
      'app.kubernetes.io/name': 'zonestead',
      'app.kubernetes.io/instance': instance,
      'app.kubernetes.io/component': name,
    },
    namespace: OWN,
  });
  const controller: Source = { pod: { app: 'nginx' }, namespace: { name: 'ingress-nginx' } };
  const stranger: Source = { pod: { app: 'nginx' }, namespace: { name: 'tenant' } };
  const objects = await render(VALUE_SETS['an Ingress with TLS'] ?? {});
  const reaches = (source: Source, number: number) =>
    letsIn(objects, toTarget(one(objects, 'Deployment', 'zonestead-api')), { number }, source, OWN);
  for (const port of [8080, 8443]) {
    // The pods of the release use TLS.
    const own = ['operator', 'nameserver', 'test'];
    for (const name of own) expect(reaches(component(name), port), name).toBe(port === 8443);
    expect(reaches(controller, port)).toBe(true);
    for (const source of [stranger, component('solver'), component('postgres'), component('operator', 'other')]) {
      expect(reaches(source, port)).toBe(false);
    }
  }
  // Metrics and probes have a rule of their own.
  expect(reaches(stranger, 9090)).toBe(false);
});
