// Random requests to the PowerDNS API: right ones against a model, and wrong ones that must be refused with a sentence.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatRrsets, powerDnsClient } from '../../../support/doors/powerdns/client.ts';
import { anyChange, type Change, oddRequest, ZONE } from '../../../support/doors/powerdns/random.ts';
import { effort, nextSeed } from '../../../support/runner/seed.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService({ nameserver: false });
const send = powerDnsClient(service.url, service.admin.text);
await send('POST', '/zones', { name: ZONE, kind: 'Native' });

interface ModelSet {
  ttl: number;
  contents: readonly string[];
}

const DEFAULT_TTL = 3_600;

/** The RRset after a change, by the documentation of PowerDNS' API. */
function next(before: ModelSet | undefined, { changetype, contents, ttl }: Change): ModelSet | undefined {
  const clamped = ttl === undefined ? undefined : Math.min(Math.max(ttl, 30), 86_400);
  const old = before?.contents ?? [];
  const [one] = contents;
  switch (changetype.toUpperCase()) {
    case 'REPLACE':
      return contents.length === 0 ? undefined : { ttl: clamped as number, contents };
    case 'EXTEND':
      if (old.includes(one as string)) return before;
      return { ttl: clamped ?? before?.ttl ?? DEFAULT_TTL, contents: [...old, one as string] };
    case 'PRUNE': {
      const left = old.filter((each) => each !== one);
      return before === undefined || left.length === 0 ? undefined : { ttl: before.ttl, contents: left };
    }
    default:
      return undefined;
  }
}

test('GET after PATCH agrees with a model', async () => {
  const model = new Map<string, ModelSet>();
  await fc.assert(
    fc.asyncProperty(fc.array(anyChange, { minLength: 1, maxLength: 6 }), async (changes) => {
      const rrsets = changes.map(({ contents, ...rest }) => ({
        ...rest,
        records: contents.map((content) => ({ content })),
      }));
      const places = changes.map(({ name, type, changetype }) => [name, type, changetype.toUpperCase()]);
      const isTwice = places.some(
        ([name, type, kind], at) =>
          (kind === 'REPLACE' || kind === 'DELETE') &&
          places.slice(0, at).some((each) => String(each) === `${name},${type},${kind}`),
      );
      const { status } = await send('PATCH', `/zones/${ZONE}`, { rrsets });
      expect(status).toBe(isTwice ? 422 : 204);
      for (const change of isTwice ? [] : changes) {
        const key = `${change.name} ${change.type}`;
        const after = next(model.get(key), change);
        if (after === undefined) model.delete(key);
        else model.set(key, after);
      }
      const expected = [...model].map(([key, { ttl, contents }]) => `${key} ${ttl} ${[...contents].sort().join(', ')}`);
      expect(formatRrsets((await send('GET', `/zones/${ZONE}`)).body)).toEqual(expected.sort());
    }),
    { numRuns: effort(120, 30), endOnFailure: true },
  );
});

const REQUESTS = effort(10_000, 2_000);
const LANES = 16;

test(`${REQUESTS} random requests are answered without a failure`, { timeout: 300_000 }, async () => {
  const requests = fc.sample(oddRequest, { numRuns: REQUESTS, seed: nextSeed() });
  const wrong: unknown[] = [];
  const statuses = new Map<number, number>();
  const lane = async (first: number) => {
    for (let at = first; at < requests.length; at += LANES) {
      const { address, body, type } = requests[at] as (typeof requests)[number];
      const [method, path] = address;
      // The zone must stay, so that other requests find it.
      const isRemoval = method === 'DELETE' && /^\/zones\/random\.example\.?(\?|$)/i.test(path);
      const hasBody = method !== 'GET' && method !== 'HEAD' && body !== '';
      const answer = await send(isRemoval ? 'GET' : method, path, hasBody && !isRemoval ? body : undefined, {
        'content-type': type,
      });
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      const isError = answer.status >= 400;
      const hasSentence = method === 'HEAD' || typeof (answer.body as { error?: unknown } | null)?.error === 'string';
      if ((answer.status >= 500 && answer.status !== 503) || (isError && !hasSentence))
        wrong.push({ method, path, body, status: answer.status, text: answer.text });
    }
  };
  await Promise.all(Array.from({ length: LANES }, (_, first) => lane(first)));
  expect(wrong).toEqual([]);
  // The requests are not all refused for the same reason.
  for (const status of [200, 204, 400, 404, 405, 422])
    expect([status, statuses.get(status) ?? 0]).toEqual([status, expect.toSatisfy((count: number) => count > 50)]);
  expect((await send('GET', `/zones/${ZONE}`)).status).toBe(200);
});
