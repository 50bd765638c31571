// The commands of docs/how-to/several-clusters.md, as a reader types them.
import { execFile } from 'node:child_process';
import { expect, inject, test } from 'vitest';
import { scenario } from '../../support/docs/scenario.ts';
import { complaint } from '../../support/docs/shown.ts';
import { COMPILED } from '../../support/program/compiled.ts';
import { addPerson } from '../../support/service/people.ts';
import { startTestService } from '../../support/service/service.ts';

const service = await startTestService({ nameserver: false });
const person = await addPerson(service, { team: 'first' });
const MAIN = inject('program');
/** The command says so if another transaction of the api holds the zone at that moment, which no page shows. */
const UNSETTLED = 'the service is still changing some of its records\n';

/** Runs `zonestead …` with the key of the person, and returns its output. */
function zonestead(words: string[]): Promise<string> {
  const env = {
    PATH: process.env.PATH ?? '',
    ...COMPILED,
    ZONESTEAD_URL: service.url,
    ZONESTEAD_API_KEY: person.text,
  };
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...words], { env, timeout: 100_000 }, (_error, out, err) => resolve(out + err));
  });
}

test('a reader drains, restores and removes a cluster', async () => {
  const heartbeat = () => service.request('PUT', '/../clusters/east');
  expect(await zonestead(['clusters', 'list'])).toContain('no cluster has sent a heartbeat');
  await heartbeat();
  const { id } = await service.zone('example.org');
  const set = { owner: 'k8s:east/default/www', name: 'www', type: 'A', values: [{ content: '192.0.2.1' }] };
  await service.request('POST', `/zones/${id}/records:apply`, { sets: [set] });
  for (const { text, shown } of await scenario('clusters')) {
    // On a slow machine, the commands take longer than a cluster may be silent.
    if (!text.startsWith('zonestead clusters remove')) await heartbeat();
    if (text.startsWith('zonestead clusters remove')) {
      await heartbeat();
      expect(await zonestead(text.split(' ').slice(1))).toContain('sent a heartbeat less than 60 seconds ago');
      await service.sql`update clusters set heartbeat_at = now() - interval '61 seconds'`;
    }
    const output = await zonestead(text.split(' ').slice(1));
    expect(complaint(shown, output.replace(UNSETTLED, ''), new Map())).toBeUndefined();
  }
  expect(await zonestead(['clusters', 'drain', 'east'])).toContain('the cluster east does not exist');
  await heartbeat();
  const { clusters } = JSON.parse(await zonestead(['clusters', 'list', '-o', 'json']));
  expect(clusters).toMatchObject([{ name: 'east', state: 'active' }]);
  for (const verb of ['drain', 'restore', 'release', 'remove']) {
    expect(await zonestead(['clusters', verb, 'east', '--dry-run'])).toMatch(
      new RegExp(`^would ${verb} east\nCLUSTER .*\neast +\\S+ +active`),
    );
  }
  expect(await zonestead(['clusters', 'drain', 'west', '--dry-run'])).toMatch(/^\S*:? ?there is no cluster west/);
  expect(JSON.parse(await zonestead(['clusters', 'list', '-o', 'json'])).clusters).toMatchObject([{ state: 'active' }]);
});
