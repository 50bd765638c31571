// Every reader interprets Ready correctly: no state of a watch, however short, makes `kubectl wait`, kstatus (Flux) or
// Argo CD take an older generation's success for that of the current spec.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fetchZones } from '#client/lists.ts';
import {
  argoHealth,
  findConditionOfType,
  kstatus,
  kubectlWaitIsOver,
  type Watched,
} from '../../support/kube/kstatus.ts';
import { type Watching, watchObjects } from '../../support/kube/watching.ts';
import { recordObject, type TestStack, zoneObject } from '../../support/stack/stack.ts';

const EDITS = 8;

let stack: TestStack;
let records: Watching<Watched>;
let zones: Watching<Watched>;

const of = (watching: Watching<Watched>, name: string) =>
  watching.states().filter(({ metadata }) => metadata.name === name);
const patch = (name: string, spec: object) => stack.kube.patch(name, { spec });
/** kubectl itself: its reading of Ready is under test here. */
const kubectlWait = (name: string) => stack.kubectl('wait', '--for=condition=Ready', '--timeout=100s', name);

/** The wrong conclusions of tools that wait, from one of these states; `isDone` is the truth. */
function wrongConclusions(states: Watched[], isDone: (state: Watched) => boolean): string[] {
  return states.flatMap((state) => {
    const { generation, resourceVersion } = state.metadata;
    const readers = {
      kstatus: kstatus(state) === 'Current',
      'Argo CD': argoHealth(state) === 'Healthy',
      'kubectl wait': kubectlWaitIsOver(state),
    };
    return Object.entries(readers)
      .filter(([, says]) => says && !isDone(state))
      .map(([reader]) => `${reader} at ${resourceVersion}, generation ${generation}: ${JSON.stringify(state.status)}`);
  });
}

/** Rules that every state of any kind must keep. */
function contradictions(states: Watched[]): string[] {
  let last = 0;
  return states.flatMap((state) => {
    const { generation, resourceVersion } = state.metadata;
    const observed = state.status?.observedGeneration ?? 0;
    const ready = findConditionOfType(state, 'Ready');
    const wrong: string[] = [];
    if (ready === undefined) wrong.push('no Ready');
    if (observed < last) wrong.push(`observedGeneration went back from ${last}`);
    if (observed > generation) wrong.push('a generation that is not there yet');
    // A reader of status.observedGeneration alone must not see an older Ready.
    if (ready?.status === 'True' && ready.observedGeneration !== observed) wrong.push('Ready of another generation');
    last = observed;
    return wrong.map((what) => `${resourceVersion}: ${what}`);
  });
}

const contents = ({ spec }: Watched) => spec.content;
const told = ({ status }: Watched) => status?.summary;

export function tellsReadyRightly(theStack: () => TestStack): void {
  describe('the condition Ready', () => {
    beforeAll(async () => {
      stack = theStack();
      records = await watchObjects(stack, 'zdr', { namespace: 'default' });
      zones = await watchObjects(stack, 'zdz', { namespace: 'default' });
    });
    afterAll(async () => {
      await Promise.all([records?.stop(), zones?.stop()]);
      await stack.removeAll('default');
    });

    test('a DNSRecord that is edited again and again is served as soon as kubectl wait returns, each time', async () => {
      await stack.apply(
        zoneObject('gen', 'gen.example'),
        recordObject('www', 'gen', { name: 'www', type: 'A', content: '192.0.2.1' }),
        recordObject('other', 'gen', { name: 'www', type: 'A', content: '192.0.2.200' }),
      );
      await stack.ready('zdr/www', 'zdr/other');
      for (let edit = 2; edit <= EDITS; edit += 1) {
        await patch('zdr/www', { content: `192.0.2.${edit}` });
        await kubectlWait('zdr/www');
        expect(await stack.dig('www.gen.example', 'A')).toEqual(
          [`www.gen.example. 3600 IN A 192.0.2.${edit}`, 'www.gen.example. 3600 IN A 192.0.2.200'].sort(),
        );
      }
    });

    test('a DNSRecord that is edited in a burst ends with the last value, and never calls one Ready that is not there', async () => {
      for (const last of [21, 22, 23, 24]) await patch('zdr/www', { content: `192.0.2.${last}` });
      await stack.ready('zdr/www');
      expect(await stack.dig('www.gen.example', 'A')).toContain('www.gen.example. 3600 IN A 192.0.2.24');
    });

    test('a DNSRecord that is edited to an impossible value is not Ready any longer, and is Ready again when it is fixed', async () => {
      await patch('zdr/www', { content: '192.0.2.200' });
      await expect.poll(async () => (await stack.condition('zdr/www', 'Ready'))?.reason).toBe('Conflict');
      // The watch may deliver the state a moment later than a request reads it.
      const seen = () => {
        const [state] = of(records, 'www').slice(-1) as [Watched];
        return [kstatus(state), argoHealth(state), kubectlWaitIsOver(state)];
      };
      await expect.poll(seen).toEqual(['InProgress', 'Degraded', false]);
      await patch('zdr/www', { content: '192.0.2.7' });
      await stack.ready('zdr/www');
    });

    test('a DNSRecord that is edited again and again is gone at once when it is deleted, because no finalizer holds it', async () => {
      await stack.remove('default', 'zdr/www');
      expect(of(records, 'www').filter(({ metadata }) => metadata.deletionTimestamp !== undefined)).toEqual([]);
      await expect.poll(() => stack.dig('www.gen.example', 'A')).toEqual(['www.gen.example. 3600 IN A 192.0.2.200']);
    });

    test('a DNSRecord that is edited again and again was in no state of its life what a reader takes for another generation', async () => {
      const living = () => of(records, 'www').filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      const current = () => living().filter((state) => kstatus(state) === 'Current').length;
      await expect.poll(current).toBeGreaterThanOrEqual(EDITS);
      const states = living();
      const generations = new Set(states.map(({ metadata }) => metadata.generation));
      expect(generations.size).toBeGreaterThanOrEqual(EDITS);
      // Born Unknown: not a moment without a Ready that a client could take for done.
      expect([kstatus(states[0] as Watched), argoHealth(states[0] as Watched)]).toEqual(['InProgress', 'Progressing']);
      expect(contradictions(states)).toEqual([]);
      expect(wrongConclusions(states, (state) => told(state) === contents(state))).toEqual([]);
    });

    test('a DNSZone that is edited again and again was in no state of its life what a reader takes for another generation', async () => {
      for (const defaultTtl of [300, 600, 900, 1200]) {
        await patch('zdz/gen', { defaultTtl });
        await kubectlWait('zdz/gen');
        const [zone] = await fetchZones(stack.client, { zoneName: 'gen.example' });
        expect(zone?.defaultTtl).toBe(defaultTtl);
      }
      await expect.poll(() => of(zones, 'gen').map(({ status }) => status?.defaultTtl)).toContain(1200);
      const states = of(zones, 'gen');
      expect(kstatus(states[0] as Watched)).toBe('InProgress');
      expect(contradictions(states)).toEqual([]);
      const isDone = ({ spec, status }: Watched) => status?.defaultTtl === (spec.defaultTtl ?? 3600);
      expect(wrongConclusions(states, isDone)).toEqual([]);
    });
  });
}
