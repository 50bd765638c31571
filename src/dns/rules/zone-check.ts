/**
 * Applies the rules across records (contract X1 to X23) to a whole zone at once: each record is judged against all
 * others, in no order, so that one run finds every problem. It is for zone files; rrset.ts judges a single write.
 *
 * The check takes at most n log n steps for n records of any kind: the rules look at a few representatives of each
 * name, the size of a set is a sum, and one walk over the names in canonical order finds the zone cuts above all names,
 * because the names below a cut follow it directly.
 */

import { fqdn, orderName } from '../names/name.ts';
import type { ParsedRecord } from '../record.ts';
import { type Steps, sortSteps } from '../steps.ts';
import type { RecordType } from '../types/index.ts';
import { isAliasForm } from '../types/svcb.ts';
import type { Problem } from '../verdict.ts';
import type { LineProblem } from '../zonefile/lexer.ts';
import { type FileRecord, MAX_PROBLEMS } from '../zonefile/read.ts';
import { NameRecords } from './name-records.ts';
import { prefixBelow } from './nearby-records.ts';
import { judgeWrite, type Neighbour, RULES_OF_A_ZONE } from './rrset.ts';
import { judgeSetSize } from './same-name.ts';
import type { Surroundings, ZoneCut } from './surroundings.ts';

export type Child = { id: string; name: string };

/** Records between two steps. */
const STEP = 100;

/**
 * Checks all records of a zone. Returns at most MAX_PROBLEMS problems of each kind of check, in the order of the lines.
 * @param children the child zones that are hosted here, named absolutely; records in them are refused
 */
export function* zoneCheckSteps(
  records: readonly FileRecord[],
  zone: string,
  children: readonly Child[],
): Steps<LineProblem[]> {
  const { owners, links, unique, duplicates } = yield* gather(records, zone);
  const sizes = yield* judgeSizes(owners, zone);
  // The members of a set that fits no message are not judged one by one.
  if (sizes.length > 0) return sorted([...duplicates, ...sizes]);
  yield* findCuts(owners, zone, children);

  const problems = duplicates;
  const inZoneCname = (name: string) => links.get(name) ?? null;
  for (const [index, { line, record }] of unique.entries()) {
    if (index % STEP === 0) yield;
    if (problems.length >= MAX_PROBLEMS) break;
    const around = buildSurroundings(record, line, owners.get(record.ordername) as Owner, zone, inZoneCname);
    const verdict = judgeWrite(record, around, RULES_OF_A_ZONE);
    if (!verdict.ok) problems.push(problemAt(line, verdict.problem));
  }
  return sorted(problems);
}

/** The records of one name and type. */
interface RecordSet {
  type: RecordType;
  /** The line of the first record. */
  line: number;
  records: number;
  /** The sum over the RDATA of its records on the wire. */
  octets: number;
  first: string;
  /** From RDATA to its line; null while the set has one record. */
  values: Map<string, number> | null;
}

interface Owner {
  name: string;
  ordername: string;
  sets: RecordSet[];
  representatives: FileRecord[];
  /** The targets of its NS records; null when the name is not a delegation. */
  nsTargets: Set<string> | null;
  /** Delegations strictly above the name: the one nearest to the apex, and the one nearest to the name. */
  topmost: Owner | null;
  nearest: Owner | null;
  /** The hosted child zone that the name is in. */
  child: Child | null;
  hasDname: boolean;
  /** The nearest DNAME strictly above the name. */
  redirection: Owner | null;
  /** A hosted zone below its DNAME. */
  childBelow: Child | null;
}

interface Gathered {
  /** By ordername. */
  owners: Map<string, Owner>;
  /** From absolute names to the target of the first CNAME or ALIAS there. */
  links: Map<string, string>;
  unique: FileRecord[];
  duplicates: LineProblem[];
}

function* gather(records: readonly FileRecord[], zone: string): Steps<Gathered> {
  const owners = new Map<string, Owner>();
  const links = new Map<string, string>();
  const unique: FileRecord[] = [];
  const duplicates: LineProblem[] = [];
  for (const [index, each] of records.entries()) {
    if (index % STEP === 0) yield;
    const { line, record } = each;
    const owner = owners.get(record.ordername) ?? createOwner(record);
    owners.set(record.ordername, owner);
    const twin = addToSet(owner, line, record);
    if (twin !== null) {
      // X7
      if (duplicates.length >= MAX_PROBLEMS) break;
      const message = `content: This ${record.type} record is already in ${idOf(twin)}; remove one of them.`;
      duplicates.push({ line, message });
      continue;
    }
    unique.push(each);
    addRepresentative(owner, each, zone);
    if ((record.type === 'CNAME' || record.type === 'ALIAS') && record.target !== null) {
      const name = fqdn(record.name, zone);
      if (!links.has(name)) links.set(name, record.target);
    }
  }
  return { owners, links, unique, duplicates };
}

function createOwner({ name, ordername }: Pick<ParsedRecord, 'name' | 'ordername'>): Owner {
  return {
    name,
    ordername,
    sets: [],
    representatives: [],
    nsTargets: null,
    topmost: null,
    nearest: null,
    child: null,
    hasDname: false,
    redirection: null,
    childBelow: null,
  };
}

/** The line of a record with the same value. Null when there is none; the record is then added to the set. */
function addToSet(owner: Owner, line: number, { type, rdata, wire }: ParsedRecord): number | null {
  const set = owner.sets.find((each) => each.type === type);
  if (set === undefined) {
    owner.sets.push({ type, line, records: 1, octets: wire.length, first: rdata, values: null });
    return null;
  }
  set.values ??= new Map([[set.first, set.line]]);
  const twin = set.values.get(rdata);
  if (twin !== undefined) return twin;
  set.values.set(rdata, line);
  set.records += 1;
  set.octets += wire.length;
  return null;
}

/**
 * Keeps the records of a name that other records are judged against: two of each kind, because no rule counts further
 * (duplicates and sizes are judged separately), and the NS record that points to the name itself, because it makes
 * addresses there glue.
 */
function addRepresentative(owner: Owner, each: FileRecord, zone: string): void {
  const { record } = each;
  owner.hasDname ||= record.type === 'DNAME';
  const alike = owner.representatives.filter((other) => isAlike(other.record, record)).length;
  if (record.type === 'NS' && record.target !== null) {
    owner.nsTargets ??= new Set();
    const isKnown = owner.nsTargets.has(record.target);
    owner.nsTargets.add(record.target);
    if (alike >= 2 && !isKnown && record.target === fqdn(record.name, zone)) owner.representatives.push(each);
  }
  if (alike < 2) owner.representatives.push(each);
}

function isAlike(one: ParsedRecord, other: ParsedRecord): boolean {
  return (
    one.type === other.type &&
    (one.target === null) === (other.target === null) &&
    isAliasForm(one) === isAliasForm(other)
  );
}

/** X18 */
function* judgeSizes(owners: ReadonlyMap<string, Owner>, zone: string): Steps<LineProblem[]> {
  const problems: LineProblem[] = [];
  let index = 0;
  for (const { name, sets } of owners.values()) {
    if (index++ % STEP === 0) yield;
    for (const set of sets) {
      const size = judgeSetSize({ ...set, name }, zone);
      if (!size.ok) problems.push(problemAt(set.line, size.problem));
    }
    if (problems.length >= MAX_PROBLEMS) break;
  }
  return problems;
}

/** A delegation, a DNAME or a hosted child zone, on the way down to a name. */
interface Cut extends Pick<Owner, 'topmost' | 'nearest' | 'child' | 'redirection'> {
  /** The beginning of all ordernames below it. */
  prefix: string;
}

/** Sets the cuts above each owner. */
function* findCuts(owners: ReadonlyMap<string, Owner>, zone: string, children: readonly Child[]): Steps<void> {
  const places = [...owners.values()];
  let hasCuts = children.length > 0;
  for (const child of children) {
    const name = child.name.slice(0, -zone.length - 1);
    const ordername = orderName(name);
    const owner = owners.get(ordername) ?? createOwner({ name, ordername });
    owner.child = child;
    if (!owners.has(ordername)) places.push(owner);
  }
  for (const { nsTargets, hasDname } of owners.values()) hasCuts ||= nsTargets !== null || hasDname;
  if (!hasCuts) return;

  const path: Cut[] = [];
  for (const [index, owner] of (yield* sortSteps(places, byOrdername)).entries()) {
    if (index % STEP === 0) yield;
    while (path.length > 0 && !owner.ordername.startsWith((path.at(-1) as Cut).prefix)) path.pop();
    const above = path.at(-1);
    owner.topmost = above?.topmost ?? null;
    owner.nearest = above?.nearest ?? null;
    owner.redirection = above?.redirection ?? null;
    if (owner.child !== null && owner.redirection !== null) owner.redirection.childBelow ??= owner.child;
    owner.child ??= above?.child ?? null;
    const isDelegation = owner.nsTargets !== null;
    if (!isDelegation && !owner.hasDname && owner.child === (above?.child ?? null)) continue;
    path.push({
      prefix: prefixBelow(owner.ordername),
      redirection: owner.hasDname ? owner : owner.redirection,
      topmost: owner.topmost ?? (isDelegation ? owner : null),
      nearest: isDelegation ? owner : owner.nearest,
      child: owner.child,
    });
  }
}

/** Byte order: names are ASCII. */
function byOrdername(a: Owner, b: Owner): number {
  return a.ordername < b.ordername ? -1 : a.ordername > b.ordername ? 1 : 0;
}

/**
 * The surroundings of a record as if it replaced itself: names that a delegation hides are refused at their own lines.
 */
function buildSurroundings(
  record: ParsedRecord,
  line: number,
  { representatives, child, topmost, nearest, redirection, childBelow }: Owner,
  zone: string,
  inZoneCname: Surroundings['inZoneCname'],
): Surroundings {
  const cutsAbove: ZoneCut[] = [];
  if (child !== null) cutsAbove.push({ name: child.name, type: 'zone', zoneId: child.id });
  if (topmost !== null) cutsAbove.push({ name: fqdn(topmost.name, zone), type: 'NS' });
  if (redirection !== null) cutsAbove.push({ name: fqdn(redirection.name, zone), type: 'DNAME' });
  const others = representatives.filter((other) => other.line !== line || other.record !== record);
  return {
    zone,
    atName: new NameRecords(others.map(asNeighbour)),
    cutsAbove,
    isServerOfCut: (name) => nearest?.nsTargets?.has(name) === true,
    // The rules of a new delegation do not look at a record that replaces itself.
    isServerOfName: () => false,
    glue: () => ({ records: 0, names: new Set() }),
    below: { total: () => 0, first: () => [] },
    zoneBelow: childBelow,
    inZoneCname,
    replaces: true,
  };
}

/** The text that messages show in place of an id. */
function idOf(line: number): string {
  return `line ${line}`;
}

function asNeighbour({ line, record }: FileRecord): Neighbour {
  return { ...record, id: idOf(line) };
}

function problemAt(line: number, { field, message }: Problem): LineProblem {
  return { line, message: `${field}: ${message}` };
}

function sorted(problems: LineProblem[]): LineProblem[] {
  return problems.sort((a, b) => a.line - b.line).slice(0, MAX_PROBLEMS);
}
