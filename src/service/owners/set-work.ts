// The work of `records:apply`: the sets of owners, judged in their order (judge-sets.ts).
import type { RecordInput } from '#dns/record.ts';
import { mustWriteRecord, mustWriteRecords } from '../accounts/actor.ts';
import type { Judge } from '../change/state.ts';
import { type Judged, NEEDS_NOTHING, type Needs, type ReadyWork, type Work } from '../change/work.ts';
import { Refusal } from '../refusal.ts';
import { isExact, isReleaseAll, judgeSets } from './judge-sets.ts';
import {
  countSetOctets,
  listSetRecords,
  type ReadSet,
  readSets,
  type SetBatch,
  type SetInput,
  type SetResult,
} from './set.ts';

type SetList = readonly (ReadSet | Refusal)[];

export function setWork({ atomic, sets }: SetBatch): Work<SetResult[]> {
  return {
    size: { changes: sets.length, octets: sets.reduce((sum, set) => sum + countSetOctets(set), 0) },
    records: sets.flatMap((set) => (set instanceof Refusal ? [] : listAliases(set))),
    *read(zoneName, now) {
      return readySets(yield* readSets(sets, zoneName, now), atomic);
    },
  };
}

function listAliases({ name = '', type = '', values = [] }: SetInput): RecordInput[] {
  return type === 'ALIAS' ? values.map(({ content }) => ({ name, type, content })) : [];
}

function readySets(sets: SetList, atomic: boolean): ReadyWork<SetResult[]> {
  return {
    needs: listNeeds(sets),
    *judge(judge: Judge) {
      // The NS records of a new delegation are judged one by one, and the addresses of all its name servers may exist
      // already.
      judge.state.nearby.announce(listSetRecords(sets));
      const before = judge.state.undo.length;
      const { results, entries, writes } = yield* judgeSets(judge, sets, atomic);
      const isChanged = judge.state.undo.length > before;
      return {
        answer: results,
        stored: isChanged ? { answer: results } : null,
        entries,
        writes,
      } satisfies Judged<unknown>;
    },
    mustRepeat(actor, zoneId, results) {
      mustWriteRecords(actor, zoneId);
      for (const [index, set] of sets.entries())
        if (results[index]?.ok === true && 'name' in set && 'kind' in set) mustWriteRecord(actor, zoneId, set);
    },
    async writeParts(write) {
      const results: SetResult[] = [];
      for (const indexes of listParts(sets)) {
        const writeResult = await write(
          readySets(
            indexes.map((index) => sets[index] as SetList[number]),
            false,
          ),
        );
        for (const [at, index] of indexes.entries()) {
          const result = toSetResult(writeResult, at);
          if (atomic && !result.ok) throw new Refusal(result.refusal).within(`sets.${index}`);
          results[index] = result;
        }
      }
      return results;
    },
  };
}

function toSetResult(writeResult: SetResult[] | Refusal, at: number): SetResult {
  if (writeResult instanceof Refusal) return { ok: false, refusal: writeResult.toData() };
  return writeResult[at] as SetResult;
}

/** The indexes of the sets that succeed or fail together: the exact sets of one owner, and every other set alone. */
function listParts(sets: SetList): number[][] {
  const parts = new Map<string | number, number[]>();
  for (const [index, set] of sets.entries()) {
    const key = isExact(set) ? set.owner : index;
    const part = parts.get(key);
    if (part) part.push(index);
    else parts.set(key, [index]);
  }
  return [...parts.values()];
}

function listNeeds(sets: SetList): Needs {
  const readable = sets.filter((set): set is ReadSet => !(set instanceof Refusal));
  return {
    ...NEEDS_NOTHING,
    written: listSetRecords(sets),
    ordernames: readable.flatMap((set) => (set.kind === 'release' ? [set.ordername] : [])),
    // Everything of an exact owner is released that its sets do not name.
    owners: readable.flatMap((set) => (isExact(set) || isReleaseAll(set) ? [set.owner] : [])),
    withOwners: sets.length > 0,
  };
}
