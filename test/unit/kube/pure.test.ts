// The small pure parts: lines, backoff, addresses, errors.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { errorFromAnswer, errorFromStatus, isAlreadyExists, isConflict, isExpiredVersion } from '#kube/api/errors.ts';
import { waitBeforeResend } from '#kube/api/transport.ts';
import { createLineSplitter } from '#kube/cache/lines.ts';
import { createBackoff } from '#kube/controller/backoff.ts';
import { keyOf, type ResourceType, resourcePath, splitKey } from '#kube/objects/resource.ts';
import { WIDGETS, widget } from '../../support/kube/fake-apiserver.ts';
import { FakeClock } from '../../support/time/fake-clock.ts';

test('splitting lines returns the same lines for every division of the bytes', () => {
  const text = fc.string({ unit: 'grapheme' }).map((line) => line.replaceAll(/[\r\n]/g, '') || 'x');
  fc.assert(
    fc.property(fc.array(text, { maxLength: 8 }), fc.array(fc.nat(60), { maxLength: 12 }), (lines, cuts) => {
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
      const splitter = createLineSplitter();
      const found: string[] = [];
      let start = 0;
      for (const cut of [...cuts, bytes.length]) {
        found.push(...splitter.push(bytes.subarray(start, Math.min(start + cut, bytes.length))));
        start = Math.min(start + cut, bytes.length);
      }
      found.push(...splitter.push(bytes.subarray(start)));
      expect(found).toEqual(lines);
      expect(splitter.pending()).toBe(0);
    }),
    { numRuns: 200 },
  );
});

test('splitting lines reports a line that has no end yet, and refuses one that exceeds the limit', () => {
  const splitter = createLineSplitter(10);
  expect(splitter.push(Buffer.from('one\ntw'))).toEqual(['one']);
  expect(splitter.pending()).toBe(2);
  expect(() => splitter.push(Buffer.from('o and more and more'))).toThrow(RangeError);
});

const make = (clock: FakeClock, random: number) => createBackoff({ clock, random: () => random });

test('the back-off grows from 0.8 s to 30 s by doubling, and by jitter to at most twice that', () => {
  const clock = new FakeClock();
  const plain = make(clock, 0);
  expect(Array.from({ length: 8 }, () => plain.next())).toEqual([800, 1600, 3200, 6400, 12800, 25600, 30000, 30000]);
  expect(make(clock, 0.5).next()).toBe(1200);
});

test('the back-off starts over after two minutes without a failure, counted from the end of the last wait', async () => {
  const clock = new FakeClock();
  const backoff = make(clock, 0);
  for (let i = 0; i < 10; i++) backoff.next();
  await clock.advance(30_000 + 119_999);
  expect(backoff.next()).toBe(30_000);
  await clock.advance(30_000 + 120_000);
  expect(backoff.next()).toBe(800);
});

const nodes: ResourceType = { group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false };

test('addresses of objects follow group, namespace, name and subresource', () => {
  expect(resourcePath(WIDGETS)).toBe('/apis/test.zonestead.dev/v1/widgets');
  expect(resourcePath(WIDGETS, { namespace: 'a' })).toBe('/apis/test.zonestead.dev/v1/namespaces/a/widgets');
  expect(resourcePath(WIDGETS, { namespace: 'a', name: 'b', subresource: 'status' })).toBe(
    '/apis/test.zonestead.dev/v1/namespaces/a/widgets/b/status',
  );
  expect(resourcePath(nodes, { name: 'n1', namespace: 'ignored' })).toBe('/api/v1/nodes/n1');
});

test('addresses of objects cannot be escaped by a name, and require a namespace for a namespaced object', () => {
  expect(resourcePath(nodes, { name: '../secrets' })).toBe('/api/v1/nodes/..%2Fsecrets');
  expect(() => resourcePath(WIDGETS, { name: 'b' })).toThrow(TypeError);
});

test('addresses of objects and keys go both ways', () => {
  expect(keyOf(widget('a', '1'))).toBe('default/a');
  expect(splitKey('default/a')).toEqual({ namespace: 'default', name: 'a' });
  expect(splitKey('a')).toEqual({ name: 'a' });
});

const body = (reason: string, message: string) => JSON.stringify({ kind: 'Status', code: 409, reason, message });

test('errors of the API server carry the Status message and reason and nothing else of the answer', () => {
  const error = errorFromAnswer(409, body('Conflict', 'the object has been modified'));
  expect(error).toMatchObject({ status: 409, reason: 'Conflict', message: 'the object has been modified' });
  expect(errorFromAnswer(502, '<html>token=abc</html>').message).toBe('The API server answered 502');
});

test('errors of the API server distinguish a lost race from a name that exists already', () => {
  expect(isConflict(errorFromAnswer(409, body('Conflict', 'x')))).toBe(true);
  expect(isConflict(errorFromAnswer(409, body('AlreadyExists', 'x')))).toBe(false);
  expect(isAlreadyExists(errorFromAnswer(409, body('AlreadyExists', 'x')))).toBe(true);
  expect(isExpiredVersion(errorFromStatus({ kind: 'Status', code: 410, reason: 'Expired' }))).toBe(true);
});

test('errors of the API server may be retried when the server names a time: 429 always, 5xx with Retry-After', () => {
  expect(waitBeforeResend(errorFromAnswer(429, '', '3'))).toBe(3_000);
  expect(waitBeforeResend(errorFromAnswer(429, ''))).toBe(1_000);
  expect(waitBeforeResend(errorFromAnswer(503, '', '1'))).toBe(1_000);
  expect(waitBeforeResend(errorFromAnswer(503, ''))).toBeUndefined();
  expect(waitBeforeResend(errorFromAnswer(409, '', '1'))).toBeUndefined();
});
