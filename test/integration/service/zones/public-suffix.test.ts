// Zones of public suffixes are refused (contract Z10); names of private use are not.
import { expect, test } from 'vitest';
import { refusal } from '../../../support/http/requests.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService();
const create = (zoneName: string) =>
  service.request('POST', '/zones', { zoneName, owner: `org:${service.admin.team}` });

test.each(['co.uk', 'CO.UK.', 'com', 'github.io'])('%s is 403', async (name) => {
  const reply = await create(name);
  expect(refusal(reply)).toBe('403 forbidden');
  expect(reply.body.message).toContain('public suffix');
});

test.each(['mine.co.uk', 'me.github.io', '2.0.192.in-addr.arpa', 'corp.internal', 'a.test'])(
  '%s may be created',
  async (name) => {
    expect((await create(name)).status).toBe(200);
  },
);
