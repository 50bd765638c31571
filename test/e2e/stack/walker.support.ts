// Does each step at the real stack and in the model, and compares the two once things have settled.
import { expect } from 'vitest';
import { ApiError } from '#client/errors.ts';
import { fetchRecords } from '#client/lists.ts';
import { createRecord, deleteRecord, replaceRecord } from '#contract/operations/records.ts';
import { recordObject, type TestStack } from '../../support/stack/stack.ts';
import { Model, NAMESPACES, type Type, type Wish, ZONE_NAMES, ZONES, type ZoneName } from './walk-model.support.ts';
import { CONTENTS, NAMES, type Step } from './walk-operations.support.ts';

/** An object that waits for another one runs again soon; a busy machine gets more time. */
const SETTLE_MS = 120_000;

interface Seen {
  metadata: { name: string; generation: number };
  status: { observedGeneration?: number; conditions: { type: string; status: string; reason: string }[] };
}

export class Walker {
  readonly model = new Model();
  readonly #test: TestStack;
  readonly #ids: Record<ZoneName, string>;
  /** The answers of the last look, by zone, name and type. */
  readonly #served = new Map<string, readonly string[]>();
  #objects = 0;
  #looks = 0;
  /** The RRsets that others wrote since the last time that things settled. */
  readonly #touched = new Map<string, Pick<Wish, 'zone' | 'name' | 'type'>>();

  constructor(test: TestStack, ids: Record<ZoneName, string>) {
    this.#test = test;
    this.#ids = ids;
  }

  async do(step: Step): Promise<void> {
    const { model } = this;
    switch (step.do) {
      case 'create': {
        const wishes = step.wishes.map(
          ({ rrset, ...where }): Wish => ({ object: `r${++this.#objects}`, ...where, ...rrset, earlier: [] }),
        );
        for (const wish of wishes) model.wishes.set(wish.object, wish);
        return this.#apply(wishes);
      }
      case 'edit': {
        const wish = pick([...model.wishes.values()], step.which);
        if (!wish) return;
        wish.earlier.push(...wish.contents);
        wish.contents = [pick(CONTENTS[wish.type], step.pick) as string];
        return this.#apply([wish]);
      }
      case 'delete': {
        const wish = pick([...model.wishes.values()], step.which);
        if (wish) await this.#delete(wish);
        return;
      }
      case 'grant': {
        model.grants.set(step.zone, step.grant);
        return this.#patchZone(step.zone, { allowedRecords: toGrant(step.grant) });
      }
      case 'park': {
        const parked = !model.parked.delete(step.zone);
        if (parked) model.parked.add(step.zone);
        return this.#patchZone(step.zone, { parked });
      }
      case 'restart': {
        const { operator } = this.#test.stack;
        await operator.part('operator').stop(step.hard ? { signal: 'SIGKILL' } : {});
        await operator.start('operator');
        return;
      }
      default:
        return this.#foreign(step);
    }
  }

  /** A user with an API key. A refused change, or a change of a deleted record, has no effect. */
  async #foreign(step: Extract<Step, { do: `foreign ${string}` }>): Promise<void> {
    const { client } = this.#test;
    const { foreign } = this.model;
    const zoneId = this.#ids[step.zone];
    try {
      if (step.do === 'foreign create') {
        const { type, contents } = step.rrset;
        // A CNAME of another owner would only depend on which write is first.
        if (type === 'CNAME') return;
        const body = { name: step.rrset.name.toLowerCase(), type, content: contents[0] as string };
        this.#touch({ zone: step.zone, ...body });
        foreign.set((await client.call(createRecord, { params: { id: zoneId }, body })).id, {
          zone: step.zone,
          ...body,
        });
        return;
      }
      const there = pick(await fetchRecords(client, zoneId), step.which);
      if (!there) return;
      const { id, name, type } = there;
      this.#touch({ zone: step.zone, name, type: type as Type });
      if (step.do === 'foreign delete') {
        await client.call(deleteRecord, { params: { id: zoneId, recordId: id } });
        foreign.delete(id);
        return;
      }
      const content = pick(CONTENTS[type as Type], step.pick) as string;
      const body = { name, type, content };
      await client.call(replaceRecord, { params: { id: zoneId, recordId: id }, body });
      const own = foreign.get(id);
      if (own) own.content = content;
    } catch (error) {
      if (!(error instanceof ApiError && [404, 409].includes(error.status))) throw error;
    }
  }

  #touch({ zone, name, type }: Pick<Wish, 'zone' | 'name' | 'type'>): void {
    this.#touched.set(`${zone} ${name} ${type}`, { zone, name, type });
  }

  /** DNS answers as the model does, and the status of every object agrees. */
  async settled(): Promise<void> {
    await expect.poll(async () => this.#differences(), { timeout: SETTLE_MS, interval: 300 }).toEqual([]);
    this.#touched.clear();
  }

  async #differences(): Promise<string[]> {
    const found: string[] = [];
    for (const zone of ZONE_NAMES) found.push(...(await this.#differencesInDns(zone)));
    if (found.length === 0) found.push(...(await this.#liesOfObjects()));
    if (found.length > 0 && ++this.#looks % 4 === 1) await this.#haveForeignWritesSeen();
    return found;
  }

  /**
   * The operator learns of a change of another client in its regular check, or when an object changes. Only the objects
   * of such RRsets are edited: the operator itself must run all others.
   */
  async #haveForeignWritesSeen(): Promise<void> {
    const touched = [...this.#touched.values()];
    const metadata = { annotations: { look: `n${this.#looks}` } };
    for (const { object, namespace, ...wish } of this.model.wishes.values()) {
      const isTouched = touched.some(
        ({ zone, name, type }) => zone === wish.zone && name === wish.name.toLowerCase() && type === wish.type,
      );
      if (isTouched) await this.#test.kube.patch(`zdr/${object}`, { metadata }, namespace);
    }
  }

  async #differencesInDns(zone: ZoneName): Promise<string[]> {
    const questions = (Object.keys(NAMES) as Type[]).flatMap((type) => NAMES[type].map((name) => ({ name, type })));
    const words = questions.flatMap(({ name, type }) => [askedAs(name, zone), type]);
    const lines = await this.#test.dig(words.at(-2) as string, words.at(-1) as string, ...words.slice(0, -2));
    return questions.flatMap(({ name, type }) => {
      const start = `${askedAs(name, zone)}. 3600 IN ${type} `;
      const is = lines.filter((line) => line.startsWith(start)).map((line) => line.slice(start.length));
      this.#served.set(`${zone} ${name} ${type}`, is);
      const sets = this.model.contents(zone, name, type);
      const [must, may] = [sets.must, sets.may].map((set) => [...set].map((content) => presented(type, content)));
      const isPossible = is.every((content) => may?.includes(content)) && is.length > 0 === (may ?? []).length > 0;
      const right = isPossible && (type === 'CNAME' ? is.length <= 1 : must?.every((content) => is.includes(content)));
      return right ? [] : [`${name} ${type} in ${zone}: is ${is}, must be ${must}, may be ${may}`];
    });
  }

  #isServed({ zone, name, type }: Wish, content: string): boolean {
    const served = this.#served.get(`${zone} ${name.toLowerCase()} ${type}`) ?? [];
    return served.includes(presented(type, content));
  }

  async #liesOfObjects(): Promise<string[]> {
    const { items } = JSON.parse(await this.#test.kubectl('get', 'zdr', '-A', '-o', 'json')) as { items: Seen[] };
    return items.flatMap(({ metadata: { name, generation }, status }) => {
      const wish = this.model.wishes.get(name);
      if (!wish) return [`${name} should be gone`];
      const ready = status.conditions.find(({ type }) => type === 'Ready');
      const wanted = !this.model.permits(wish)
        ? 'False NotPermitted'
        : this.model.parked.has(wish.zone)
          ? null
          : this.model.isUndisputed(wish)
            ? 'True Ready'
            : null;
      const is = `${ready?.status} ${ready?.reason}`;
      if (ready?.status === 'True' && !wish.contents.every((content) => this.#isServed(wish, content)))
        return [`${name} is Ready, and DNS lacks one of ${wish.contents}`];
      if (status.observedGeneration !== generation) return [`${name} is of generation ${status.observedGeneration}`];
      if (this.model.parked.has(wish.zone) && ready?.status === 'True') return [`${name} is Ready in a parked zone`];
      return wanted === null || is === wanted ? [] : [`${name} ${JSON.stringify(wish)} is ${is}, must be ${wanted}`];
    });
  }

  /** Deletes all objects: the service then contains exactly the records of others. */
  async end(): Promise<void> {
    for (const namespace of NAMESPACES) {
      await this.#test.kubectl('-n', namespace, 'delete', 'zdr', '--all', '--timeout=115s');
    }
    this.model.wishes.clear();
    const left = async () => {
      const records = await Promise.all(ZONE_NAMES.map((zone) => fetchRecords(this.#test.client, this.#ids[zone], {})));
      return records
        .flat()
        .map(({ id }) => id)
        .sort();
    };
    await expect.poll(left, { timeout: SETTLE_MS, interval: 300 }).toEqual([...this.model.foreign.keys()].sort());
    for (const [id, { zone }] of this.model.foreign)
      await this.#test.client.call(deleteRecord, { params: { id: this.#ids[zone], recordId: id } });
    this.model.foreign.clear();
    for (const zone of ZONE_NAMES) await this.#patchZone(zone, { allowedRecords: [], parked: false });
  }

  async #apply(wishes: Wish[]): Promise<void> {
    const objects = wishes.map(({ object, namespace, zone, name, type, contents }) => {
      const zoneRef = { name: zone, namespace: ZONES[zone] };
      const said =
        contents.length === 1 ? { content: contents[0] } : { values: contents.map((content) => ({ content })) };
      return recordObject(object, zone, { zoneRef, name, type, ...said }, namespace);
    });
    const { ok, words } = await this.#test.apply(...objects);
    if (!ok) throw new Error(words);
  }

  async #delete({ object, namespace }: Wish): Promise<void> {
    this.model.wishes.delete(object);
    await this.#test.kubectl('-n', namespace, 'delete', 'zdr', object, '--wait=false');
  }

  async #patchZone(zone: ZoneName, spec: object): Promise<void> {
    await this.#test.kubectl('-n', ZONES[zone], 'patch', 'zdz', zone, '--type=merge', '-p', JSON.stringify({ spec }));
  }
}

function toGrant(grant: Extract<Step, { do: 'grant' }>['grant']): object[] {
  if (grant === null) return [];
  const { from, ...rest } = grant;
  const names = { key: 'kubernetes.io/metadata.name', operator: 'In', values: from };
  return [{ namespaces: { from: 'Selector', selector: { matchExpressions: [names] } }, ...rest }];
}

/** A query for a wildcard uses a name that nothing else is at. */
function askedAs(name: string, zone: ZoneName): string {
  return name === '@' ? `${zone}.example` : `${name.replace('*', 'any')}.${zone}.example`;
}

function presented(type: Type, content: string): string {
  if (type === 'TXT') return `"${content}"`;
  return type === 'CNAME' ? `${content}.` : content;
}

function pick<T>(list: readonly T[], index: number): T | undefined {
  return list[index % list.length];
}
