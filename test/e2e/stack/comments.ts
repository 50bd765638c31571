// The annotation zonestead.dev/comment through a real API server: it is the comment at the service, changes with the
// object, and a wrong one is told without a change of DNS.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fetchRecords, fetchZones } from '#client/lists.ts';
import { COMMENT } from '#resources/names.ts';
import { recordObject, type TestStack, zoneObject } from '../../support/stack/stack.ts';

let stack: TestStack;

/** The comments at the service, and the serial. */
async function atService() {
  const [zone] = await fetchZones(stack.client, { zoneName: 'comments.example' });
  const records = zone === undefined ? [] : await fetchRecords(stack.client, zone.id, {});
  return {
    zone: zone?.comment ?? null,
    records: records.map(({ comment }) => comment ?? null),
    serial: zone?.serial,
  };
}

const annotate = (name: string, comment: string | null) =>
  stack.kube.patch(name, { metadata: { annotations: { [COMMENT]: comment } } });

export function keepsComments(theStack: () => TestStack): void {
  describe('the annotation zonestead.dev/comment', () => {
    beforeAll(async () => {
      stack = theStack();
      await stack.apply(
        zoneObject('comments', 'comments.example'),
        recordObject('www', 'comments', {
          ...{ name: 'www', type: 'A' },
          values: [{ content: '192.0.2.1' }, { content: '192.0.2.2' }],
        }),
      );
      await stack.ready('zdz/comments', 'zdr/www');
    });
    afterAll(() => stack.removeAll('default'));

    test('the annotation zonestead.dev/comment is the comment of the zone and of the records, until it is removed, and leaves the serial', async () => {
      const { serial } = await atService();
      for (const comment of ['the shop: "ticket" #4711', 'Zoë’s shop', null]) {
        await annotate('zdz/comments', comment);
        await annotate('zdr/www', comment);
        await expect.poll(atService).toEqual({ zone: comment, records: [comment, comment], serial });
      }
      await stack.ready('zdz/comments', 'zdr/www');
    });

    test.each([
      ['zdr/www', 'dnsrecord/www', 'x'.repeat(501), /501 characters; write at most 500/],
      ['zdz/comments', 'dnszone/comments', 'two\nlines', /U\+000A; write one line of plain text/],
    ])(
      'the annotation zonestead.dev/comment that is not valid at %s is named by a condition and an Event, and DNS stays',
      async (name, object, wrong, how) => {
        await annotate(name, 'right');
        await expect.poll(async () => JSON.stringify(await atService())).toContain('right');
        const before = await atService();
        await annotate(name, wrong);
        const ready = async () => (await stack.condition(name, 'Ready')) ?? { reason: 'none', message: '' };
        await expect.poll(async () => (await ready()).reason).toBe('InvalidSpec');
        const { message } = await ready();
        expect(message).toContain('metadata.annotations[zonestead.dev/comment]');
        expect(message).toMatch(how);
        const events = async () =>
          (await stack.events()).filter((line) => line.startsWith(`Warning InvalidSpec ${object}: `));
        await expect.poll(events).toContainEqual(expect.stringMatching(how));
        expect(await atService()).toEqual(before);
        expect(await stack.dig('www.comments.example', 'A')).toHaveLength(2);
        await annotate(name, null);
        await stack.ready('zdz/comments', 'zdr/www');
        await expect.poll(async () => JSON.stringify(await atService())).not.toContain('right');
      },
    );
  });
}
