// Ansible's nsupdate module adds, changes and deletes records at BIND and at ours, and says for each task whether it
// changed anything.
import { expect, test } from 'vitest';
import { updateServers } from '../../support/doors/servers.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { startTestService } from '../../support/service/service.ts';
import { ensureAnsibleModule } from '../../support/tools/ansible.ts';
import { ensurePythonTools } from '../../support/tools/python.ts';
import { type NsupdateTask, runPlay } from './ansible.support.ts';

const progress = (line: string) => process.stdout.write(`${line}\n`);
const { signal } = new AbortController();
const environment = await ensurePythonTools(progress, signal);
const collections = await ensureAnsibleModule(environment, progress, signal);
const service = await startTestService({ settings: { ZONESTEAD_UPDATE_LISTEN: '127.0.0.1:0' } });
const ZONE = 'ansible.example';

const www = (more: object): NsupdateTask => ({ record: 'www', zone: ZONE, value: ['192.0.2.1', '192.0.2.2'], ...more });
/** Without the zone, so that the module looks for it. */
const text = (more: object): NsupdateTask => ({ record: `text.${ZONE}.`, type: 'TXT', ttl: 300, ...more });
/** The module changes NS records by single values, and queries an absolute name for them. */
const cut = (host: string): NsupdateTask => ({ ...text({ value: [host] }), record: `cut.${ZONE}.`, type: 'NS' });

/**
 * Tasks compare TTLs with those that name servers answer, so the changes of a play must be served before the next one.
 */
const PLAYS: readonly { tasks: readonly (readonly [NsupdateTask, 'changed' | 'ok'])[]; records: readonly string[] }[] =
  [
    {
      tasks: [
        [www({ ttl: 300 }), 'changed'],
        [text({ value: ['one value'] }), 'changed'],
        [cut('ns1.example.net.'), 'changed'],
      ],
      records: [
        `cut.${ZONE}. 300 NS ns1.example.net.`,
        `text.${ZONE}. 300 TXT "one value"`,
        `www.${ZONE}. 300 A 192.0.2.1`,
        `www.${ZONE}. 300 A 192.0.2.2`,
      ],
    },
    {
      tasks: [
        [www({ ttl: 300 }), 'ok'],
        [www({ state: 'absent', check: true }), 'changed'],
        [www({ ttl: 600 }), 'changed'],
        [cut('ns2.example.net.'), 'changed'],
        [text({ state: 'absent' }), 'changed'],
        [text({ state: 'absent' }), 'ok'],
      ],
      records: [`cut.${ZONE}. 300 NS ns2.example.net.`, `www.${ZONE}. 600 A 192.0.2.1`, `www.${ZONE}. 600 A 192.0.2.2`],
    },
  ];

test.concurrent.for(await updateServers(service, [ZONE]))(
  'Ansible changes a zone of $title',
  async ({ port, key, records }) => {
    const folder = await temporaryFolder('ansible');
    for (const { tasks, records: expected } of PLAYS) {
      await service.settled();
      const given = tasks.map(([task]) => task);
      const ends = await runPlay({ environment, collections, folder, port, key }, given);
      expect(given.map((task, index) => [task, ends[index]])).toEqual(tasks);
      expect(await records(ZONE)).toEqual([...expected].sort());
    }
  },
);
