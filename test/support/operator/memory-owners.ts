// The owners of the memory service: the real decisions of the service (src/service/owners) over records in memory.

import { ApiError } from '#client/errors.ts';
import type { ApplyResult, OwnedSet as ListedSet, RecordSet } from '#contract/owners.ts';
import type { DnsRecord } from '#contract/record.ts';
import type { ParsedRecord } from '#dns/record.ts';
import { parseRdata } from '#dns/types/index.ts';
import { toErrorBody, toHttpStatus } from '#http/refusals.ts';
import { digestOf } from '#service/change/row-writes.ts';
import { decideRelease, decideSet, type RecordsHere, type SetEdit, staleness } from '#service/owners/decide.ts';
import { type ReadApply, type ReadSet, readSets } from '#service/owners/set.ts';
import { Refusal, refusal } from '#service/refusal.ts';
import type { StoredOwnedSet } from '#store/owned-sets.ts';
import { finish } from '../dns/zone-file.ts';
import type { Stored, StoredZone } from './memory-service.ts';

interface Tools {
  readonly judge: (
    zoneId: string,
    body: Pick<Stored, 'name' | 'type' | 'content'> & { ttl?: number; priority?: number | null },
    replacing: string | null,
  ) => ParsedRecord;
  readonly moved: (zoneId: string) => void;
  readonly id: () => string;
  readonly hasCheck: (name: string) => boolean;
  readonly view: (zoneId: string, record: Stored) => DnsRecord;
}

export class MemoryOwners {
  /** When every set was applied, as lists say. */
  appliedAt = '2026-11-21T10:00:00.000Z';
  readonly #tools: Tools;
  /** By the id of the zone. */
  readonly #sets = new Map<string, StoredOwnedSet[]>();
  #ids = 0;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /** The ids of the records that the owner has, in any zone. */
  idsOf(owner: string): string[] {
    return [...this.#sets.values()]
      .flat()
      .flatMap((set) => (set.owner === owner ? set.records.map(({ id }) => id) : []));
  }

  /** The owners in a zone. */
  in(zoneId: string): string[] {
    return (this.#sets.get(zoneId) ?? []).map(({ owner }) => owner);
  }

  forgetZone(zoneId: string): void {
    this.#sets.delete(zoneId);
  }

  /** The record was deleted; its owners keep their other records. */
  forgetRecord(zoneId: string, recordId: string): void {
    const sets = this.#sets.get(zoneId) ?? [];
    this.#sets.set(
      zoneId,
      sets.map((set) => ({ ...set, records: set.records.filter(({ id }) => id !== recordId) })),
    );
  }

  apply(stored: StoredZone, sets: readonly RecordSet[]): ApplyResult[] {
    return finish(readSets(sets, stored.zone.zoneName, new Date(0))).map((set) => {
      const records = new Map(stored.records);
      const owned = this.#sets.get(stored.zone.id) ?? [];
      try {
        if (set instanceof Refusal) throw set;
        const done = this.#one(stored, set);
        if (done.changed) this.#tools.moved(stored.zone.id);
        return { status: 200, ...done };
      } catch (error) {
        stored.records = records;
        this.#sets.set(stored.zone.id, owned);
        if (error instanceof Refusal) return { status: toHttpStatus(error), ...toErrorBody(error) };
        if (!(error instanceof ApiError)) throw error;
        return {
          status: error.status,
          error: error.code,
          message: error.message,
          records: error.records,
        } as ApplyResult;
      }
    });
  }

  list({ zone, records }: StoredZone, prefix: string): ListedSet[] {
    return (this.#sets.get(zone.id) ?? [])
      .filter(({ owner }) => owner.startsWith(prefix))
      .sort((a, b) => (a.owner < b.owner ? -1 : 1))
      .map((set) => {
        const there = set.records.flatMap(({ id, digest }) => {
          const record = records.get(id);
          return record ? [{ record, isApplied: digestOfRecord(record) === digest }] : [];
        });
        const wanted = set.ttl ?? zone.defaultTtl;
        const isChanged = there.some(
          ({ record, isApplied }) => !isApplied || (record.ttl ?? zone.defaultTtl) !== wanted,
        );
        const { owner, name, type, generation, instance, digest, ttl, comment, share, retain, drift } = set;
        return {
          ...{ owner, name, type, generation, instance, digest, ttl, comment, share, retain, drift },
          expires: null,
          whenClusterLost: 'Keep',
          appliedAt: this.appliedAt,
          records: there.map(({ record }) => this.#tools.view(zone.id, record)),
          drifted: there.length < set.valueCount || isChanged,
        } as ListedSet;
      });
  }

  /** Forgets who owns what, as a zone that came back from a name server does. */
  lose(): void {
    this.#sets.clear();
  }

  /** Accepts every generation once, as `zonestead clusters accept-older` does. */
  acceptOlder(): void {
    for (const [zone, sets] of this.#sets)
      this.#sets.set(
        zone,
        sets.map((set) => ({ ...set, generation: null })),
      );
  }

  #one(stored: StoredZone, set: ReadSet): Pick<Extract<ApplyResult, { status: 200 }>, 'records' | 'changed' | 'drift'> {
    const { id: zoneId, defaultTtl } = stored.zone;
    const held = () => (this.#sets.get(zoneId) ?? []).filter(({ owner }) => owner === set.owner);
    let changed = false;
    const release = (own: StoredOwnedSet, retain: boolean) => {
      const edits = decideRelease(own, this.#present(stored, own), retain, defaultTtl);
      for (const edit of edits) this.#edit(stored, edit, null);
      changed ||= edits.length > 0;
      this.#sets.set(
        zoneId,
        (this.#sets.get(zoneId) ?? []).filter((each) => each !== own),
      );
    };
    const isHere = (own: StoredOwnedSet) =>
      set.kind !== 'release-all' && own.ordername === set.ordername && own.type === set.type;
    const others = held().filter((own) => (set.kind === 'release-all' || set.exact) && !isHere(own));
    const stale = staleness(set, others);
    if (stale) throw stale;
    for (const own of others) release(own, own.retain);
    const own = held().find(isHere) ?? null;
    if (set.kind !== 'apply') {
      if (own) release(own, (set.kind === 'release' ? set.retain : null) ?? own.retain);
      return { records: [], changed, drift: [] };
    }
    const decision = decideSet(set, own, this.#present(stored, set), defaultTtl);
    if (decision instanceof Refusal) throw decision;
    const made = decision.edits.flatMap((edit) => this.#edit(stored, edit, set));
    changed ||= decision.edits.length > 0;
    const records = [...decision.records, ...made];
    this.#ids += 1;
    const { owner, name, ordername, type, digest, ttl, comment, share, retain, drift, expires, generation, instance } =
      set;
    const next: StoredOwnedSet = {
      id: own?.id ?? `set_${this.#ids}`,
      owner,
      name,
      ordername,
      type,
      digest,
      ttl,
      comment,
      generation,
      instance,
      ...{ valueCount: set.values.length, share, retain, drift, expires, records },
      ...{ whenClusterLost: 'Keep' },
    } as StoredOwnedSet;
    this.#sets.set(zoneId, [...(this.#sets.get(zoneId) ?? []).filter((each) => each !== own), next]);
    const views = records.flatMap(({ id }) => {
      const record = stored.records.get(id);
      return record ? [this.#tools.view(zoneId, record)] : [];
    });
    return { records: views, changed, drift: [...decision.drift] };
  }

  #edit(stored: StoredZone, edit: SetEdit, set: ReadApply | null): { id: string; digest: string }[] {
    const { records, zone } = stored;
    if (edit.kind === 'delete') records.delete(edit.id);
    const { ttl = null, comment = null, health = null } = edit as Partial<Extract<SetEdit, { kind: 'adjust' }>>;
    if (health?.check !== undefined && !this.#tools.hasCheck(health.check)) throw refusal('no-such-check');
    if (edit.kind === 'adjust') records.set(edit.id, { ...(records.get(edit.id) as Stored), ttl, comment, health });
    if (edit.kind !== 'create' && edit.kind !== 'update') return [];
    const value = set?.values[edit.value];
    if (!value) throw new Error('an edit without a value');
    const id = edit.kind === 'update' ? edit.id : this.#tools.id();
    const { name, type, content, priority } = value.record;
    this.#tools.judge(zone.id, { name, type, content, ...(priority === null ? {} : { priority }) }, id);
    records.set(id, { id, name, type, content, priority, ttl, comment, health });
    return edit.kind === 'create' ? [{ id, digest: value.digest }] : [];
  }

  #present({ zone, records }: StoredZone, place: Pick<StoredOwnedSet, 'name' | 'type'>): RecordsHere {
    const there = [...records.values()].filter(({ name, type }) => name === place.name && type === place.type);
    const toPresent = (record: Stored | undefined) =>
      record && {
        ...{ id: record.id, content: record.content, ttl: record.ttl, comment: record.comment ?? null },
        health: record.health ?? null,
        owners: (this.#sets.get(zone.id) ?? []).filter((set) => set.records.some(({ id }) => id === record.id)),
      };
    return {
      withId: (wanted) => toPresent(there.find(({ id }) => id === wanted)),
      withValue: ({ digest }) => toPresent(there.find((record) => digestOfRecord(record) === digest)),
    };
  }
}

function digestOfRecord({ type, content, priority }: Stored): string {
  const parsed = parseRdata(type, content, priority);
  return digestOf(parsed.ok ? parsed.value.wire : new Uint8Array()).toString('hex');
}
