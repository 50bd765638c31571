// Known faults of operators of this kind, each as a test. Other files: the loser of a conflict does not affect the
// winner when it is deleted (chain, tenancy); changes by others at any moment (random-walk).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fetchRecords } from '#client/lists.ts';
import { createRecord, deleteRecord, replaceRecord } from '#contract/operations/records.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { findConditionOfType, type Watched } from '../../support/kube/kstatus.ts';
import { recordObject, type TestStack, zoneObject } from '../../support/stack/stack.ts';

let stack: TestStack;
let zoneId: string;
const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);
const address = (name: string, content = '192.0.2.1') => recordObject(name, 'mis', { name, type: 'A', content });
const text = (name: string, content: string) => recordObject(name, 'mis', { name, type: 'TXT', content });

async function held(prefix: string): Promise<string[]> {
  const records = await fetchRecords(stack.client, zoneId, {});
  return records.flatMap(({ name, content }) => (name.startsWith(prefix) ? [`${name} ${content}`] : [])).sort();
}

const becomes = (name: string, reason: string) =>
  expect.poll(async () => (await stack.condition(name, 'Ready'))?.reason).toBe(reason);
/** A deletion reaches the service after the object is gone. */
const nothingOf = (prefix: string) => expect.poll(() => held(prefix)).toEqual([]);

export function survivesMisbehaviours(theStack: () => TestStack): void {
  describe('an operator of this kind', () => {
    beforeAll(async () => {
      stack = theStack();
      await stack.apply(zoneObject('mis', 'mis.example'));
      await stack.ready('zdz/mis');
      zoneId = (await stack.kube.get<DNSZone>('zdz/mis')).status?.zoneId as string;
    });
    afterAll(() => stack.removeAll('default'));

    describe('the DNS service away amid many creations', () => {
      const all = names('away', 100);

      test('the DNS service away amid many creations ends for every object when it ends: no edit, no restart, nothing twice', async () => {
        const { running } = stack.stack.service;
        const objects = all.map((name) => address(name));
        const applied = stack.apply(...objects.slice(0, 50));
        await expect.poll(() => held('away')).not.toEqual([]);
        // In the middle of an answer, for some of them.
        await running.part('api').stop({ signal: 'SIGKILL' });
        expect((await applied).ok).toBe(true);
        expect((await stack.apply(...objects.slice(50))).ok).toBe(true);
        const reasons = async () =>
          (await stack.kube.list<Watched>('zdr', 'default')).map(
            (object) => findConditionOfType(object, 'Ready')?.reason,
          );
        await expect.poll(reasons).toContain('APIUnavailable');
        await running.start('api');
        await stack.ready(...all.map((name) => `zdr/${name}`));
        expect(await held('away')).toEqual(all.map((name) => `${name} 192.0.2.1`).sort());
      });

      test('the DNS service away amid many creations keeps no object from being deleted afterwards', async () => {
        await stack.remove('default', ...all.map((name) => `zdr/${name}`));
        await nothingOf('away');
      });
    });

    describe('one record among 50 that cannot be', () => {
      const others = names('many', 48);

      test('one record among 50 that cannot be is refused alone, at apply or by its condition, and the others are served', async () => {
        await stack.apply(address('first'));
        await stack.ready('zdr/first');
        const { ok, words } = await stack.apply(
          address('hello', 'hello'),
          recordObject('poison', 'mis', { name: 'first', type: 'CNAME', content: 'other.example.net' }),
          ...others.map((name) => text(name, `text of ${name}`)),
        );
        expect(ok).toBe(false);
        expect(words).toMatch(/"hello" is invalid: spec\.content: .*must be an IPv4 address/);
        await stack.ready(...others.map((name) => `zdr/${name}`));
        expect(await held('many')).toHaveLength(48);
        expect(await stack.dig('many47.mis.example', 'TXT')).toEqual([
          'many47.mis.example. 3600 IN TXT "text of many47"',
        ]);
        await becomes('zdr/poison', 'Conflict');
        expect((await stack.condition('zdr/poison', 'Ready'))?.message).toMatch(/first has an A record/);
      });

      test('one record among 50 that cannot be can be deleted, and was never served', async () => {
        await stack.remove('default', 'zdr/poison');
        expect(await held('first')).toEqual(['first 192.0.2.1']);
      });
    });

    const CRD = 'crd/dnsrecords.zonestead.dev';
    const path = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/x-kubernetes-validations';
    const rules = async () =>
      JSON.parse(
        await stack.kubectl(
          'get',
          CRD,
          '-o',
          `jsonpath={${path.replaceAll('/', '.').replace('versions.0', 'versions[0]')}}`,
        ),
      );
    const allow = (value: unknown) =>
      stack.kubectl('patch', CRD, '--type=json', '-p', JSON.stringify([{ op: 'replace', path, value }]));

    test('an object of a type that the operator does not know reports it, does not block others, and can be deleted', async () => {
      const unknown = recordObject('where', 'mis', { name: 'where', type: 'HINFO', content: 'PC Linux' });
      expect((await stack.apply(unknown)).words).toMatch(/spec\.type: .*must be a record type in capitals/);
      const before = (await rules()) as { fieldPath?: string }[];
      // As after the CRD of a later version: the object exists, although this version does not know its fields.
      await allow(before.filter(({ fieldPath }) => fieldPath !== '.type'));
      await expect.poll(async () => (await stack.apply(unknown)).ok).toBe(true);
      await becomes('zdr/where', 'InvalidSpec');
      expect((await stack.condition('zdr/where', 'Ready'))?.message).toMatch(/spec\.type/);
      await stack.apply(address('another'));
      await stack.ready('zdr/another');
      await allow(before);
      await stack.remove('default', 'zdr/where');
    });

    test('a record changed behind the back of its object is put right within seconds of the next heartbeat, with an Event that says what it was and which key did it', async () => {
      await stack.apply(address('moved'), address('lost'));
      await stack.ready('zdr/moved', 'zdr/lost');
      for (const { id, name, type } of await fetchRecords(stack.client, zoneId, { type: 'A' })) {
        if (name === 'moved')
          await stack.client.call(replaceRecord, {
            params: { id: zoneId, recordId: id },
            body: { name, type, content: '203.0.113.9' },
          });
        if (name === 'lost') await stack.client.call(deleteRecord, { params: { id: zoneId, recordId: id } });
      }
      const changedAt = Date.now();
      await expect.poll(() => stack.dig('moved.mis.example', 'A')).toEqual(['moved.mis.example. 3600 IN A 192.0.2.1']);
      await expect.poll(() => stack.dig('lost.mis.example', 'A')).toEqual(['lost.mis.example. 3600 IN A 192.0.2.1']);
      // A heartbeat every ten seconds, and room for a busy machine. The regular check comes after ten minutes.
      expect(Date.now() - changedAt).toBeLessThan(40_000);
      const events = async () => (await stack.events()).join('\n');
      await expect
        .poll(events)
        .toMatch(/^Warning Drift dnsrecord\/moved: a value was changed to 203\.0\.113\.9 \(rec_\w+\), by key /m);
      await expect.poll(events).toMatch(/^Warning Drift dnsrecord\/lost: 192\.0\.2\.1 was deleted/m);
    });

    test('a record that was there before its object is not taken over unasked, and outlives the object', async () => {
      await stack.client.call(createRecord, {
        params: { id: zoneId },
        body: { name: 'before', type: 'A', content: '192.0.2.1' },
      });
      await stack.apply(address('before'));
      await becomes('zdr/before', 'Conflict');
      expect((await stack.condition('zdr/before', 'Ready'))?.message).toContain(
        '192.0.2.1 already exists at the DNS service, and no DNSRecord owns it',
      );
      await stack.remove('default', 'zdr/before');
      expect(await held('before')).toEqual(['before 192.0.2.1']);
    });

    test('a record that was there before its object is taken over as it is when asked to, and then goes with the object', async () => {
      const [there] = await fetchRecords(stack.client, zoneId, { name: 'before' });
      const spec = { name: 'before', type: 'A', content: '192.0.2.1', adopt: 'IfIdentical' };
      await stack.apply(recordObject('before', 'mis', spec));
      await stack.ready('zdr/before');
      expect(await fetchRecords(stack.client, zoneId, { name: 'before' })).toEqual([there]);
      await stack.remove('default', 'zdr/before');
      await nothingOf('before');
    });

    // RFC 1035 section 3.3: strings of at most 255 octets; resolvers and readers join them.
    test.each([
      ['plain', 'two words, a=b (c) #d', '"two words, a=b (c) #d"'],
      ['umlaut', 'für', '"f\\195\\188r"'],
      ['quoted', '"a \\"b\\" \\\\c"', '"a \\"b\\" \\\\c"'],
      ['long', 'x'.repeat(300), `"${'x'.repeat(255)}" "${'x'.repeat(45)}"`],
    ])('a TXT record with %s is served as it was meant', async (name, content, served) => {
      await stack.apply(text(`txt-${name}`, content));
      await stack.ready(`zdr/txt-${name}`);
      expect(await stack.dig(`txt-${name}.mis.example`, 'TXT')).toEqual([
        `txt-${name}.mis.example. 3600 IN TXT ${served}`,
      ]);
    });

    test('a TXT with an ambiguous value, because of a backslash or an unpaired quote, is refused at apply', async () => {
      for (const content of ['a\\b', 'a "b', '"a" b']) {
        const { ok, words } = await stack.apply(text('txt-open', content));
        expect([ok, words]).toEqual([false, expect.stringContaining('one or more quoted strings')]);
      }
    });

    test('a CNAME at the apex is refused at apply, and ALIAS is named', async () => {
      const { ok, words } = await stack.apply(
        recordObject('apex', 'mis', { name: '@', type: 'CNAME', content: 'www.mis.example' }),
      );
      expect([ok, words]).toEqual([false, expect.stringContaining('use type ALIAS')]);
    });
  });
}
