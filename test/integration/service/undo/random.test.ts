// Undo and restore in random histories of a zone, through HTTP on a real database, compared with a model.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { UndoAnswer } from '#contract/undo.ts';
import type { Reply } from '../../../support/http/requests.ts';
import { effort, nextSeed } from '../../../support/runner/seed.ts';
import { startTestService } from '../../../support/service/service.ts';
import { undoZoneAt } from '../../../support/service/undo.ts';
import { type Outcome, type Owners, placeOf, UndoModel, type Value } from './undo-model.support.ts';

const service = await startTestService({ nameserver: false });
const { request, admin } = service;
const keys = [admin, await service.key()];
/** A loaded machine does as many histories as it can in this time. */
const TIME_MS = effort(10_000, 2_000);
/** Histories between two looks at the time. */
const RUNS = 5;
const OWNER = 'k8s:prod/shop/web';

const CONTENTS: Readonly<Record<string, readonly string[]>> = {
  A: ['192.0.2.1', '192.0.2.2', '192.0.2.3'],
  TXT: ['"one"', '"two"'],
  CNAME: ['one.example.net', 'two.example.net'],
};

const value = fc.record({
  type: fc.constantFrom('A', 'A', 'A', 'TXT', 'CNAME'),
  content: fc.nat(2),
  // None of them is a default TTL of the zone: the history cannot tell such a TTL from the default.
  ttl: fc.constantFrom(undefined, undefined, 60, 300),
  comment: fc.constantFrom(undefined, undefined, 'one', 'two'),
});
const name = fc.constantFrom('www', 'api');
const pick = fc.nat(100);
const edit = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('create' as const), name, value }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('update' as const), pick, value }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), pick }) },
);
const selection = fc.oneof(
  fc.record({ by: fc.constant('changes' as const), picks: fc.array(pick, { minLength: 1, maxLength: 3 }) }),
  fc.record({ by: fc.constant('request' as const), pick }),
  fc.record({ by: fc.constant('key' as const), key: fc.nat(1), pick }),
  { weight: 2, arbitrary: fc.record({ by: fc.constant('time' as const), pick }) },
);
const operation = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant('edit' as const),
      key: fc.nat(1),
      edits: fc.array(edit, { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('own' as const), name, contents: fc.subarray([0, 1, 2]) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('default TTL' as const), ttl: fc.constantFrom(3600, 7200) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete and restore the zone' as const) }) },
  { weight: 7, arbitrary: fc.record({ do: fc.constant('undo' as const), selection, again: fc.boolean() }) },
);
type Operation = typeof operation extends fc.Arbitrary<infer O> ? O : never;
type Edit = typeof edit extends fc.Arbitrary<infer E> ? E : never;
type Selection = typeof selection extends fc.Arbitrary<infer S> ? S : never;

const counted = { requests: 0, done: 0, refused: 0 };

/** One zone with its history and the model of it. */
class World {
  readonly model = new UndoModel();
  readonly #zone: ReturnType<typeof undoZoneAt>;
  readonly #zoneName: string;

  constructor({ id, zoneName }: { id: string; zoneName: string }) {
    this.#zone = undoZoneAt(service, id);
    this.#zoneName = zoneName;
  }

  async do(operation: Operation): Promise<void> {
    const { path, own } = this.#zone;
    switch (operation.do) {
      case 'edit': {
        const changes = operation.edits.flatMap((each) => this.#change(each));
        if (changes.length === 0) return;
        await request('POST', `${path}/records:batch`, { atomic: false, changes }, keys[operation.key]?.text);
        break;
      }
      case 'own':
        // Values that others have already are refused.
        await own(
          OWNER,
          operation.name,
          operation.contents.map((at) => contentOf('A', at)),
        ).catch(() => undefined);
        break;
      case 'default TTL':
        await request('PATCH', path, { defaultTtl: operation.ttl });
        break;
      case 'delete and restore the zone':
        expect((await request('DELETE', path)).status).toBe(204);
        expect((await request('POST', '/zones:restore', { zoneName: this.#zoneName })).status).toBe(201);
        break;
      case 'undo':
        return this.#undo(operation.selection, operation.again);
    }
    await this.#read();
  }

  /** Whether the history leads to the records of the zone. */
  async check(): Promise<void> {
    expect(await this.#zone.records()).toEqual(this.model.lines());
  }

  async #undo(selection: Selection, again: boolean): Promise<void> {
    const owners = await this.#owners();
    const wanted = this.#request(selection, owners);
    if (wanted === null) return;
    const { send, outcome } = wanted;
    const before = this.model.lines();
    const serial = await this.#zone.serial();
    const isRefused = outcome.conflicts.length > 0 || outcome.isAgainstRule;
    const preview = await send({ dryRun: true });
    expect(preview.status).toBe(200);
    const { differences, conflicts } = preview.body as unknown as UndoAnswer;
    expect(conflicts.length > 0).toBe(isRefused);
    expect(conflicts.map(placeOf)).toEqual(expect.arrayContaining(outcome.conflicts));
    counted.requests += 1;
    const seen = this.model.steps.length;
    const reply = await send({});
    const changes = await this.#read();
    if (isRefused) {
      counted.refused += 1;
      expect([reply.status, await this.#zone.records(), changes]).toEqual([409, before, []]);
      return;
    }
    const answer = { ...preview.body, dryRun: false, serial: await this.#zone.serial() };
    expect([reply.status, reply.body]).toEqual([200, answer]);
    expect(await this.#zone.records()).toEqual(outcome.lines);
    // The preview tells the names and types that change, and how they are before and after.
    const told = differences.map(placeOf);
    for (const side of ['before', 'after'] as const) {
      const lines = differences.flatMap((each) => each[side].map((shown) => ({ ...shown, ...placeIn(each) })));
      const all = side === 'before' ? before : outcome.lines;
      expect(lines.map(lineOf).sort()).toEqual(all.filter((line) => told.includes(placeOfLine(line))));
    }
    expect(before.filter((line) => !told.includes(placeOfLine(line)))).toEqual(
      outcome.lines.filter((line) => !told.includes(placeOfLine(line))),
    );
    // The history has it, with one serial.
    expect(changes.length > 0).toBe(differences.length > 0);
    expect(new Set(this.model.steps.slice(seen).map(({ place }) => place))).toEqual(new Set(told));
    for (const change of changes) {
      expect(change.serial).toBe(answer.serial);
      if (selection.by === 'time') expect(change.restoredTo).toBe(wanted.at);
      else expect((change.undoes ?? [0]).every((id) => wanted.ids.includes(id))).toBe(true);
    }
    if (answer.serial !== serial) counted.done += 1;
    const requestId = changes[0]?.requestId;
    if (!again || requestId === undefined) return;
    await this.#zone.undone({ requestId });
    await this.#read();
    expect(await this.#zone.records()).toEqual(before);
  }

  /** The request and its outcome by the model. Null: there is no such change. */
  #request(selection: Selection, owners: Owners) {
    const { model } = this;
    const { steps } = model;
    const step = (index: number) => steps[index % Math.max(1, steps.length)];
    const undo = (selected: typeof steps, body: object) => ({
      outcome: model.undo(selected, owners),
      ids: selected.map(({ id }) => id),
      at: null,
      send: (more: object): Promise<Reply> => this.#zone.undo({ ...body, ...more }),
    });
    if (selection.by === 'changes') {
      const selected = new Set(selection.picks.flatMap((each) => step(each) ?? []));
      return selected.size === 0 ? null : undo([...selected], { changes: [...selected].map(({ id }) => id) });
    }
    const from = step(selection.pick);
    if (from === undefined) return null;
    if (selection.by === 'request') {
      const { requestId } = from;
      return undo(
        steps.filter((each) => each.requestId === requestId),
        { requestId },
      );
    }
    if (selection.by === 'key') {
      const { id: keyId } = keys[selection.key] as (typeof keys)[number];
      const selected = steps.filter((each) => each.keyId === keyId && each.at >= from.at);
      return selected.length === 0 ? null : undo(selected, { keyId, since: from.at });
    }
    const count = steps.filter(({ at }) => at <= from.at).length;
    const outcome: Outcome = model.restore(count, owners);
    const send = (more: object): Promise<Reply> => this.#zone.restore({ at: from.at, ...more });
    return { outcome, ids: [] as number[], at: from.at, send };
  }

  #change(edit: Edit): object[] {
    if (edit.do === 'create') return [{ action: 'create', record: { name: edit.name, ...recordOf(edit.value) } }];
    const records = [...this.model.records().values()].sort((a, b) => (key(a) < key(b) ? -1 : 1));
    const record = records[edit.pick % Math.max(1, records.length)];
    if (record === undefined) return [];
    const { id, name: at, type } = record;
    if (edit.do === 'delete') return [{ action: 'delete', id }];
    const { content, ...rest } = edit.value;
    return [{ action: 'update', id, record: { ...rest, name: at, type, content: contentOf(type, content) } }];
  }

  async #read() {
    const changes = await this.#zone.changes();
    const known = new Set(this.model.steps.map(({ id }) => id));
    this.model.read(changes);
    return changes.filter(({ id, action }) => action.startsWith('record.') && !known.has(id));
  }

  async #owners(): Promise<Owners> {
    const { body } = await request('GET', `${this.#zone.path}/owners`);
    const owners = body.owners as { owner: string; records: { id: string }[] }[];
    return new Map(owners.flatMap(({ owner, records }) => records.map(({ id }) => [id, [owner]] as const)));
  }
}

const contentOf = (type: string, at: number): string => {
  const contents = CONTENTS[type] ?? [];
  return contents[at % contents.length] as string;
};
const recordOf = ({ content, ...rest }: { type: string; content: number }) => ({
  ...rest,
  content: contentOf(rest.type, content),
});
const key = (record: Value) => `${placeOf(record)} ${record.content}`;
const placeIn = ({ name: at, type }: { name: string; type: string }) => ({ name: at, type });
const placeOfLine = (line: string) => line.split(' ').slice(0, 2).join(' ');
const lineOf = (shown: { name: string; type: string; ttl: number; content: string; comment?: string | undefined }) =>
  `${placeOf(shown)} ${shown.ttl} ${shown.content}${shown.comment === undefined ? '' : ` (${shown.comment})`}`;

test('undo and restore agree with the model in random histories', { timeout: 300_000 }, async () => {
  const agree = fc.asyncProperty(fc.array(operation, { minLength: 4, maxLength: 16 }), async (operations) => {
    const world = new World(await service.zone());
    for (const each of operations) await world.do(each);
    await world.check();
  });
  const end = performance.now() + TIME_MS;
  do await fc.assert(agree, { seed: nextSeed(), numRuns: RUNS });
  while (performance.now() < end);
  expect(counted.done).toBeGreaterThan(0);
});
