// The PTR records of a DNSRecord with spec.reverse in its status: whether each is written, or why not.
import { fetchRecords } from '#client/lists.ts';
import type { ReverseState } from '#dns/reverse.ts';
import type { ReverseEntry } from '#resources/dnsrecord.ts';
import { MAX_MEMBERS } from '#resources/health-check.ts';
import type { ServiceConnection } from '../access/credentials.ts';
import type { RecordRun } from '../run/run.ts';
import { identityOfRecord } from './apply.ts';
import type { Desired, DesiredValue, ReadyZone } from './desired.ts';
import type { JudgedReverse } from './reverse.ts';

/**
 * Reads the states of the PTR records for the status.
 * @param judged null: the object wants none
 * @returns whether every PTR record that it wants is written
 * @throws errors of the service
 */
export async function readReverse(
  run: RecordRun,
  { client }: ServiceConnection,
  { zoneId }: ReadyZone,
  { name, type, values }: Desired,
  judged: readonly JudgedReverse[] | null,
): Promise<boolean> {
  if (judged === null) {
    run.fields = { ...run.fields, reverse: undefined };
    return true;
  }
  const isAsked = judged.some((each) => each.zoneId !== null);
  const records = isAsked ? await fetchRecords(client, zoneId, { name, type }, run.call) : [];
  const states = new Map(records.map((record) => [identityOfRecord(record), record.reverseState]));
  const namespace = run.object.metadata.namespace ?? '';
  const entries = values.map((value, at) => toEntry(value, judged[at], states.get(value.identity), namespace));
  const isMissing = ({ state }: ReverseEntry) => Number(state !== 'Written');
  const shown = entries.toSorted((one, other) => isMissing(other) - isMissing(one)).slice(0, MAX_MEMBERS);
  run.fields = { ...run.fields, reverse: entries.length <= MAX_MEMBERS ? entries : shown };
  return entries.every(({ state }) => state === 'Written');
}

function toEntry(
  { content }: DesiredValue,
  judged: JudgedReverse | undefined,
  state: ReverseState | undefined,
  namespace: string,
): ReverseEntry {
  if (judged?.zoneId === null)
    return {
      content,
      state: 'NotPermitted',
      reason: `No DNSZone of this cluster with the name ${judged.name} allows PTR records there from namespace ${namespace}. The owner of the reverse zone can allow them in spec.allowedRecords of its DNSZone; the operator then continues automatically.`,
    };
  // A record that the service does not have yet, for example of a drained zone.
  if (state === undefined) return { content, state: 'Withdrawn', reason: REASONS.Withdrawn };
  return state === 'Written' ? { content, state } : { content, state, reason: REASONS[state] };
}

const REASONS: Readonly<Record<Exclude<ReverseState, 'Written'>, string>> = {
  NoReverseZone: 'The team of the record has no zone with the reverse name.',
  Delegated: 'The reverse name is delegated, or is an alias of a name outside of the reverse zones of the team.',
  HandWritten: 'A client wrote a PTR record at the reverse name, which the service leaves as it is. Delete it there.',
  NotPermitted:
    'The API key of the operator may not write the PTR record, or the reverse name is in another zone than its DNSZone: in a deeper one, or behind a CNAME (RFC 2317).',
  OtherName: 'The PTR record points to another record with this address, which was first.',
  Wildcard: 'A PTR record cannot point to a wildcard.',
  NotAHostName: 'A PTR record cannot point to the name of this record.',
  ReverseZone: 'The record is in a reverse zone itself.',
  Withdrawn: 'The values are withdrawn, because the cluster is drained or lost.',
};
