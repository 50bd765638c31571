/**
 * Rules over the records at one owner name: duplicates, types that exclude each other, and the size of a set (contract
 * X1, X2, X5, X7, X12, X18, X19, X23). Zone cuts are in cuts.ts, alias chains in chain.ts.
 */
import { fqdn } from '../names/name.ts';
import type { RecordType } from '../types/index.ts';
import { isAliasForm } from '../types/svcb.ts';
import { conflict, refuse, type Verdict } from '../verdict.ts';
import { FINE, type Neighbour, type RecordsAtName, type WriteRule } from './surroundings.ts';

/** X7: the same value in any spelling; a different TTL does not make it another record. */
export const refuseDuplicate: WriteRule = (record, { atName }) => {
  const twin = atName.twinOf(record);
  if (twin === undefined) return FINE;
  return conflict(
    'duplicate',
    'content',
    `This ${record.type} record exists already as ${twin.id}; update that one instead.`,
    [twin.id],
  );
};

/** X1 and X2, RFC 1034 section 3.6.2: a CNAME is alone at its name. */
export const keepCnameAlone: WriteRule = (record, { atName }) => {
  const other = record.type === 'CNAME' ? atName.first() : atName.firstOf('CNAME');
  if (other === undefined) return FINE;
  const neighbourText = `${record.name} has ${other.type === 'A' || other.type === 'AAAA' ? 'an' : 'a'} ${other.type} record (${other.id})`;
  return record.type === 'CNAME'
    ? conflict(
        'cname-alone',
        'type',
        `${neighbourText}, and a CNAME cannot share its name with any other record; delete that one first.`,
        [other.id],
      )
    : conflict(
        'cname-alone',
        'type',
        `${neighbourText}, which allows no other record at its name; delete it first or use another name.`,
        [other.id],
      );
};

/** X5: the addresses served for an ALIAS are the service's own, so nothing else may supply them. */
export const keepAliasAlone: WriteRule = (record, { atName }) => {
  const excludedTypes: readonly RecordType[] =
    record.type === 'ALIAS' ? ['A', 'AAAA', 'ALIAS'] : ['A', 'AAAA'].includes(record.type) ? ['ALIAS'] : [];
  const other = excludedTypes.map((type) => atName.firstOf(type)).find((each) => each !== undefined);
  if (other === undefined) return FINE;
  return conflict(
    'alias-alone',
    'type',
    `${record.name} has the ${other.type} record ${other.id}, which excludes ${record.type} at the same name; delete it first.`,
    [other.id],
  );
};

/** X23, RFC 7505 section 3: a null MX is the only MX of its name. */
export const keepNullMxAlone: WriteRule = (record, { atName }) => {
  if (record.type !== 'MX') return FINE;
  const other = record.target === null ? atName.firstOf('MX') : atName.loneOf('MX');
  if (other === undefined) return FINE;
  return conflict(
    'null-mx-alone',
    'content',
    `A null MX (".") must be the only MX record of its name (RFC 7505); delete ${other.id} first.`,
    [other.id],
  );
};

/**
 * X12: without a delegation a DS says nothing, and validators take the name for bogus when the NS comes and differs.
 */
export const requireDelegation: WriteRule = (record, { atName }) => {
  if (record.type !== 'DS' || atName.firstOf('NS') !== undefined) return FINE;
  return conflict(
    'ds-needs-ns',
    'type',
    `A DS record needs NS records at the same name, and ${record.name} has none; create those first.`,
  );
};

/** X19, RFC 9460 section 2.4.2: one alias at most. */
export const keepAliasFormSingle: WriteRule = (record, { atName }) => {
  if (!isAliasForm(record)) return FINE;
  const other = atName.loneOf(record.type);
  if (other === undefined) return FINE;
  return conflict(
    'alias-form-single',
    'content',
    `${record.name} has an ${record.type} record in alias form already (${other.id}); update that one instead.`,
    [other.id],
  );
};

/** The largest DNS message (RFC 1035 section 4.2.2). */
const MAX_MESSAGE = 65_535;
/** Header, EDNS and the NSEC with its signature that proves a wildcard answer: names of 255 octets all through. */
const RESERVED = 12 + 11 + 1_000;
/** A record's fixed part with its owner as a pointer (RFC 1035 sections 4.1.3 and 4.1.4). */
const PER_RECORD = 12;
/** RRSIG RDATA of algorithm 13 without the signer's name: RFC 4034 section 3.1, RFC 6605 section 4. */
const SIGNATURE = 18 + 64;

/** X18: the whole set, signed, must fit one message; no name server can answer with less than all of it. */
export const boundSize: WriteRule = (record, { zone, atName }) => {
  const { records, octets } = atName.sizeOf(record.type);
  const { name, type, wire } = record;
  return judgeSetSize({ name, type, records: records + 1, octets: octets + wire.length }, zone);
};

/** @param set its `octets` are those of the RDATA of all its records on the wire */
export function judgeSetSize(
  set: { name: string; type: RecordType; records: number; octets: number },
  zone: string,
): Verdict<null> {
  const question = wireLength(fqdn(set.name, zone)) + 4;
  const signature = PER_RECORD + SIGNATURE + wireLength(zone);
  const total = RESERVED + question + signature + set.records * PER_RECORD + set.octets;
  if (total <= MAX_MESSAGE) return FINE;
  return refuse(
    'content',
    `With this value the ${set.records} ${set.type} records of ${set.name} would not fit a DNS message of ${MAX_MESSAGE} octets; delete some first.`,
  );
}

/** Octets of a canonical name without final dot: each label has its length before it, and the root follows. */
function wireLength(name: string): number {
  return name.length + 2;
}

/** X12 for deletion: the last NS of a name must not leave a DS behind. */
export function leavesDsAlone(removedRecord: { type: string }, rest: RecordsAtName): Neighbour | null {
  if (removedRecord.type !== 'NS' || rest.firstOf('NS') !== undefined) return null;
  return rest.firstOf('DS') ?? null;
}
