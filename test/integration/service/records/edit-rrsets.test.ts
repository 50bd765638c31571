// Changes that are computed from the RRsets that exist, in the transaction that writes them.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ParsedRecord, parseRecord } from '#dns/record.ts';
import { inOneStep } from '#dns/steps.ts';
import type { RecordType } from '#dns/types/index.ts';
import type { Caller } from '#service/context.ts';
import { authenticate } from '#service/keys/keys.ts';
import { editRrsets } from '#service/records/edit-rrsets.ts';
import type { RrsetPlan } from '#service/records/rrsets.ts';
import { refusal } from '#service/refusal.ts';
import { effort } from '../../../support/runner/seed.ts';
import type { TestKey } from '../../../support/service/keys.ts';
import { startTestService } from '../../../support/service/service.ts';
import { openServiceContext } from '../../../support/service/service-context.ts';

const service = await startTestService({ nameserver: false });
const context = openServiceContext(service.database.url);
/** That of another process: the queues of the two do not know each other. */
const other = openServiceContext(service.database.url);
const ZONE = 'edited.example';
const zone = await service.zone(ZONE);

async function callerOf(key: TestKey = service.admin): Promise<Caller> {
  return { actor: await authenticate(context, key.text, '127.0.0.1'), requestId: 'request', once: null };
}

/** An RRset as a test writes it: `www A 60 192.0.2.1 192.0.2.2`. */
function rrset(text: string): { name: string; type: RecordType; records: ParsedRecord[] } {
  const [name = '', type = '', ttl, ...contents] = text.split(' ');
  const records = contents.map((each) => {
    const words = each.split('_');
    const priority = type === 'MX' ? Number(words.shift()) : null;
    const read = parseRecord({ name, type, content: words.join(' '), priority, ttl: Number(ttl) }, ZONE);
    if (!read.ok) throw new Error(read.problem.message);
    return read.value;
  });
  return { name, type: type as RecordType, records };
}

function put(rrsets: ReturnType<typeof rrset>[], caller: Caller) {
  const work = {
    names: [...new Set(rrsets.map(({ name }) => name))],
    touches: rrsets,
    candidates: rrsets.flatMap(({ records }) => records),
    plan: () => inOneStep((): RrsetPlan<null> => ({ rrsets, answer: null })),
  };
  return editRrsets(context, caller, zone.id, work, null);
}

async function set(...texts: string[]) {
  return put(texts.map(rrset), await callerOf());
}

interface Row {
  name: string;
  type: string;
  ttl: number;
  content: string;
  priority: number | null;
}

async function stored(name: string): Promise<string[]> {
  const { body } = await service.request('GET', `/zones/${zone.id}/records?name=${name}`);
  const rows = body.records as Row[];
  return rows
    .map(({ type, ttl, content, priority }) => [type, ttl, ...(priority === null ? [] : [priority]), content].join(' '))
    .sort();
}

async function serial(): Promise<number> {
  return (await service.request('GET', `/zones/${zone.id}`)).body.serial as number;
}

test('an RRset becomes what the plan says, with one serial, and the same again changes nothing', async () => {
  const before = await serial();
  const first = await set('www A 60 192.0.2.1 192.0.2.2', 'www AAAA 60 2001:db8::1');
  expect(first).toEqual({ ok: true, answer: null, serials: { before, after: await serial() }, changed: 2 });
  expect(first.serials.after).not.toBe(before);
  const again = await set('www A 60 192.0.2.2 192.0.2.1', 'www AAAA 60 2001:DB8:0::1');
  expect(again).toMatchObject({ changed: 0, serials: { before: await serial(), after: await serial() } });
  expect(await set('www A 90 192.0.2.2 192.0.2.3')).toMatchObject({ changed: 1 });
  expect(await stored('www')).toEqual(['A 90 192.0.2.2', 'A 90 192.0.2.3', 'AAAA 60 2001:db8::1']);
  expect(await set('www A 90', 'www AAAA 90')).toMatchObject({ changed: 2 });
  expect(await stored('www')).toEqual([]);
});

test.each([
  ['a CNAME takes the place of addresses', 'A 60 192.0.2.1', ['CNAME 60 target.example'], ['A 60']],
  ['addresses take the place of a CNAME', 'CNAME 60 target.example', ['A 60 192.0.2.1'], ['CNAME 60']],
  ['a null MX takes the place of two exchanges', 'MX 60 1_a.example 2_b.example', ['MX 60 0_.'], []],
  ['two exchanges take the place of a null MX', 'MX 60 0_.', ['MX 60 1_a.example 2_b.example'], []],
  ['a delegation gets other name servers', 'NS 60 ns1.example ns2.example', ['NS 60 ns3.example'], []],
])('%s in one change, in either order of the RRsets', async (_, first, becomes, goes) => {
  for (const isReversed of [false, true]) {
    const name = `n${randomUUID()}`;
    await set(`${name} ${first}`);
    const texts = [...becomes, ...goes].map((text) => `${name} ${text}`);
    await set(...(isReversed ? texts.reverse() : texts));
    const expected = becomes.flatMap((text) => {
      const [type, ttl, ...contents] = text.split(' ');
      return contents.map((content) => `${type} ${ttl} ${content.replaceAll('_', ' ')}`);
    });
    expect(await stored(name)).toEqual(expected.sort());
  }
});

test('a set that fills a message may be replaced by another one that does', async () => {
  const long = (letter: string) =>
    Array.from({ length: 250 }, (_, at) => `"${letter}${at}${'x'.repeat(240)}"`).join(' ');
  await set(`large TXT 60 "short" ${long('a')}`);
  // The first value takes the place of the short one: the set would be too large before the last one gets short.
  await set(`large TXT 60 ${long('b')} "other"`);
  expect((await stored('large')).filter((row) => row.startsWith('TXT 60 "b'))).toHaveLength(250);
});

test('a refused RRset leaves the others as they were, and the plan may refuse as well', async () => {
  const [before, rows] = [await serial(), await stored('kept')];
  const wrong = set('kept A 60 192.0.2.1', 'clash A 60 192.0.2.1', 'clash CNAME 60 target.example');
  await expect(wrong).rejects.toMatchObject({ code: 'conflict' });
  const refused = editRrsets(
    context,
    await callerOf(),
    zone.id,
    { names: ['kept'], touches: [], candidates: [], plan: () => inOneStep(() => refusal('may-not-write-records')) },
    null,
  );
  await expect(refused).rejects.toMatchObject({ code: 'forbidden' });
  expect([await serial(), await stored('kept')]).toEqual([before, rows]);
});

test('a key that is limited to some names or types changes no others', async () => {
  const key = await service.key({ onlyNames: ['_acme-challenge', '_acme-challenge.*'], onlyTypes: ['TXT'] });
  const caller = await callerOf(key);
  await put([rrset('_acme-challenge TXT 60 "token"')], caller);
  for (const text of ['_acme-challenge A 60 192.0.2.1', 'www TXT 60 "token"', 'www A 60'])
    await expect(put([rrset(text)], caller)).rejects.toMatchObject({ code: 'forbidden' });
  const reader = await callerOf(await service.key({ records: 'read' }));
  await expect(put([rrset('www A 60 192.0.2.1')], reader)).rejects.toMatchObject({ code: 'forbidden' });
  const stranger = await callerOf(await service.key({ team: 'second' }));
  await expect(put([rrset('www A 60 192.0.2.1')], stranger)).rejects.toMatchObject({ code: 'no_zone' });
});

test('a repeated request gets the first answer and changes nothing', async () => {
  const once = { token: 'token', requestHash: Buffer.from('hash') };
  const caller = { ...(await callerOf()), once };
  const first = await put([rrset('once A 60 192.0.2.1')], caller);
  await set('once A 60 192.0.2.2');
  expect(await put([rrset('once A 60 192.0.2.1')], caller)).toEqual(first);
  expect(await stored('once')).toEqual(['A 60 192.0.2.2']);
});

test('a repeated request whose first one changed nothing does not take effect later', async () => {
  const once = { token: 'idle', requestHash: Buffer.from('hash') };
  const caller = { ...(await callerOf()), once };
  await set('idle A 60 192.0.2.1');
  const first = await put([rrset('idle A 60 192.0.2.1')], caller);
  expect(first.changed).toBe(0);
  await set('idle A 60 192.0.2.2');
  expect(await put([rrset('idle A 60 192.0.2.1')], caller)).toEqual(first);
  expect(await stored('idle')).toEqual(['A 60 192.0.2.2']);
});

test('thirty requests that each add a value to one RRset lose none', async () => {
  const caller = await callerOf();
  const add = (index: number) => {
    const [record] = rrset(`counted A 60 192.0.2.${index}`).records as [ParsedRecord];
    const plan: Parameters<typeof editRrsets<number>>[3]['plan'] = ({ at }) =>
      inOneStep(() => {
        const existing = at('counted').flatMap(({ records }) => records);
        return { rrsets: [{ name: 'counted', type: 'A', records: [...existing, record] }], answer: existing.length };
      });
    const work = { names: ['counted'], touches: [record], candidates: [record], plan };
    return editRrsets(index % 2 === 0 ? context : other, caller, zone.id, work, null);
  };
  const results = await Promise.all(Array.from({ length: 30 }, (_, index) => add(index + 1)));
  expect(results.map(({ answer }) => answer).sort((one, next) => one - next)).toEqual(
    Array.from({ length: 30 }, (_, index) => index),
  );
  expect(await stored('counted')).toHaveLength(30);
});

const anyRrset = fc.record({
  name: fc.constantFrom('p1', 'p2', 'p3'),
  set: fc.oneof(
    fc.record({
      type: fc.constant('A'),
      values: fc.uniqueArray(fc.integer({ min: 1, max: 6 }).map((last) => `192.0.2.${last}`)),
    }),
    fc.record({
      type: fc.constant('TXT'),
      values: fc.uniqueArray(fc.constantFrom('"a"', '"b"', '"c"', '"d"')),
    }),
    fc.record({
      type: fc.constant('MX'),
      values: fc.uniqueArray(fc.constantFrom('1_a.example', '1_b.example', '2_a.example')),
    }),
  ),
  ttl: fc.constantFrom(60, 61),
});

test('after random plans the zone is as a map says', async () => {
  const model = new Map<string, string[]>();
  const plans = fc.array(anyRrset, { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(plans, async (all) => {
      const wanted = new Map(all.map((each) => [`${each.name} ${each.set.type}`, each]));
      const texts = [...wanted].map(
        ([
          place,
          {
            set: { values },
            ttl,
          },
        ]) => [place, ttl, ...values].join(' '),
      );
      await set(...texts);
      for (const [
        place,
        {
          set: { type, values },
          ttl,
        },
      ] of wanted)
        model.set(
          place,
          values.map((value) => `${type} ${ttl} ${value.replaceAll('_', ' ')}`),
        );
      for (const name of ['p1', 'p2', 'p3']) {
        const expected = [...model].flatMap(([place, rows]) => (place.startsWith(`${name} `) ? rows : []));
        expect(await stored(name)).toEqual(expected.sort());
      }
    }),
    { numRuns: effort(30, 10) },
  );
});
