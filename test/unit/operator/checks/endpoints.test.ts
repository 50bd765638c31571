// The state of the addresses that follow a Service, from its EndpointSlices.
import { expect, test } from 'vitest';
import { type EndpointSlice, trimSlice } from '#kube/objects/endpoint-slices.ts';
import { judgeEndpoints, wasServiceFound } from '#operator/checks/endpoints.ts';

const web = { name: 'web' };
const https = { name: 'web', port: 'https' };

/** @param ready the condition of each endpoint; undefined: it is absent */
function slice(ready: readonly (boolean | undefined)[], ...ports: { name?: string; port?: number }[]): EndpointSlice {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { namespace: 'shop', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web', other: 'label' } },
    endpoints: ready.map((each) => ({ conditions: each === undefined ? {} : { ready: each } })),
    ports,
  };
}

/** Such as `Healthy found`. */
function judge(ref: Parameters<typeof judgeEndpoints>[0], slices: EndpointSlice[], wasFound = false): string {
  const verdict = judgeEndpoints(ref, slices, wasFound);
  const trimmed = judgeEndpoints(ref, slices.map(trimSlice), wasFound);
  expect(trimmed).toEqual(verdict);
  return `${verdict.state}${verdict.state !== 'Unknown' && verdict.isFound ? ' found' : ''}`;
}

test('addresses are Healthy while an endpoint of any slice is ready, and Unhealthy while none is', () => {
  expect(judge(web, [slice([false]), slice([false, true])])).toBe('Healthy found');
  expect(judge(web, [slice([false]), slice([])])).toBe('Unhealthy found');
  expect(judgeEndpoints(web, [slice([])], false).reason).toBe('No endpoint of the Service web is ready.');
});

test('an endpoint without the condition is ready, as the API of Kubernetes says', () => {
  expect(judge(web, [slice([undefined])])).toBe('Healthy found');
  const bare = { ...slice([]), endpoints: [{}] };
  expect(judge(web, [bare])).toBe('Healthy found');
  expect(judge(web, [{ ...slice([]), endpoints: null }])).toBe('Unhealthy found');
});

test('with a port, only ready endpoints with the port count, by its name or number', () => {
  const ports = [{ name: 'https', port: 8443 }];
  expect(judge(https, [slice([true], ...ports)])).toBe('Healthy found');
  expect(judge({ name: 'web', port: 8443 }, [slice([true], ...ports)])).toBe('Healthy found');
  expect(judge(https, [slice([false], ...ports), slice([true], { name: 'http', port: 80 })])).toBe('Unhealthy found');
});

test('a Service or port that was never found is Unknown, so that a typo takes no address out of DNS', () => {
  expect(judge(web, [])).toBe('Unknown');
  expect(judge({ name: 'web', port: 'other' }, [slice([true], { name: 'https', port: 8443 })])).toBe('Unknown');
  expect(judgeEndpoints(web, [], false).reason).toMatch(/^No Service web .* spec\.healthFrom\.serviceRef\.name\.$/);
});

test('a Service or port that was found before and is gone is Unhealthy', () => {
  expect(judge(web, [], true)).toBe('Unhealthy');
  expect(judge(https, [slice([true], { name: 'http', port: 80 })], true)).toBe('Unhealthy');
});

test('a Service was found if the status has its name and port', () => {
  expect(wasServiceFound(https, 'web:https')).toBe(true);
  expect(wasServiceFound(web, 'web:https')).toBe(false);
  expect(wasServiceFound(web, undefined)).toBe(false);
});

test('a reason of a signal has no number of endpoints, and fits', () => {
  const name = 's'.repeat(63);
  const port = 'p'.repeat(63);
  const slices = [slice([true], { name: 'http', port: 80 })];
  const reasons = [judgeEndpoints({ name, port }, slices, true), judgeEndpoints({ name }, [], true)];
  for (const { reason } of reasons) expect(reason.length).toBeLessThanOrEqual(200);
  expect(judgeEndpoints(web, [slice([true])], false)).toEqual(judgeEndpoints(web, [slice([true, true, false])], false));
});

test('a cache keeps no addresses of pods, and one ready endpoint', () => {
  const addresses = { ...slice([true]), endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: true } }] };
  expect(JSON.stringify(trimSlice(addresses))).not.toContain('10.0.0.1');
  expect(trimSlice(slice([true, false]))).toEqual(trimSlice(slice([true])));
});
