// Page views do not increase the memory of the api. The process is the real command with the memory limit of the chart.
import { expect, test } from 'vitest';
import { memory } from '../../bench/processes.ts';
import { visit } from '../../support/console/visit.ts';
import { CHART_MEMORY, startApiProcess } from '../../support/service/api-process.ts';
import { addPerson } from '../../support/service/people.ts';
import { startTestService } from '../../support/service/service.ts';

const RECORDS = 200;
/** Views until code is compiled and caches are filled. */
const VIEWS_BEFORE = 150;
const VIEWS = 400;
/** Keeping 64 KiB for each view would be 25 MiB. Otherwise the garbage collector changes the figure by up to 10. */
const MAX_GROWTH_MIB = 20;

const service = await startTestService();
const person = await addPerson(service, { team: 'readers' });
const api = await startApiProcess(service, {
  ...CHART_MEMORY,
  ZONESTEAD_CONSOLE: 'on',
  ZONESTEAD_CONSOLE_URL: 'http://console.test',
  ZONESTEAD_LIMITS: 'off',
});

test(`${VIEWS} page views do not increase the memory of the api`, { timeout: 300_000 }, async () => {
  const create = { zoneName: 'viewed.example', owner: `org:${person.team}` };
  const { id } = (await api.request('POST', '/zones', create, person.text)).body as { id: string };
  const changes = Array.from({ length: RECORDS }, (_, index) => ({
    action: 'create',
    record: { name: `r${index}`, type: 'A', content: '192.0.2.1' },
  }));
  expect((await api.request('POST', `/zones/${id}/records:batch`, { changes }, person.text)).status).toBe(200);
  const browser = visit(api);
  await browser.signIn(person.text);
  const home = `/console/zones/${id}`;
  const paths = [home, `${home}/history`, `${home}/settings`, `${home}/zonefile`, '/console/zones'];
  const view = async (times: number) => {
    for (let n = 0; n < times; n += 1) {
      const path = paths[n % paths.length] as string;
      const { status } = await browser.get(path);
      if (status !== 200) throw new Error(`${path} answers ${status}`);
    }
  };
  await view(VIEWS_BEFORE);
  const { now: before } = await memory(api.part.pid as number);
  await view(VIEWS);
  const { now: after } = await memory(api.part.pid as number);
  expect(after - before).toBeLessThan(MAX_GROWTH_MIB);
});
