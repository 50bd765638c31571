// Which set of records a zone may hold: the record rules of the design said once more, over whole sets instead of
// single writes, so that a mistake in the service's own way of judging is not repeated here.
import type { Type } from './contents.ts';

export interface ModelRecord {
  id: string;
  /** Relative, lower case, `@` for the apex. */
  name: string;
  type: Type;
  /** As the list has it. */
  content: string;
  served: string;
  target?: string;
  /** The addresses of an ALIAS target. */
  addresses?: readonly { type: 'A' | 'AAAA'; served: string; ttl: number }[];
  ttl: number | null;
  priority: number | null;
  comment?: string | null;
}

export type Draft = Omit<ModelRecord, 'id'>;

const absolute = (name: string, zone: string) => (name === '@' ? zone : `${name}.${zone}`);

/** Whether a record is wrong for any content of the zone: 400. */
export function isWrongAlone(record: Pick<Draft, 'name' | 'type' | 'target' | 'served'>, zone: string): boolean {
  const { name, type } = record;
  const labels = `${name === '@' ? '' : `${name}.`}${zone}`.split('.');
  if (name === '@' && ['CNAME', 'NS', 'DS'].includes(type)) return true;
  if (type === 'NS' && name.startsWith('*')) return true;
  if (type === 'SRV') return !(/^(_.+|\*)$/.test(labels[0] as string) && /^_/.test(labels[1] as string));
  if (type === 'TLSA') return !(/^(_\d+|\*)$/.test(labels[0] as string) && /^_/.test(labels[1] as string));
  return (type === 'CNAME' || type === 'ALIAS') && record.target === absolute(name, zone);
}

/**
 * Whether `record`, one of `all`, is compatible with the others: contract X1 to X15, X19 and X23, except for the rules
 * about deletions.
 */
export function mayStand<R extends Draft>(
  record: R,
  all: readonly R[],
  zone: string,
  children: readonly string[],
): boolean {
  const owner = absolute(record.name, zone);
  const { type } = record;
  const others = all.filter((other) => other !== record);
  const at = others.filter(({ name }) => name === record.name);
  const has = (...types: Type[]) => at.some((other) => types.includes(other.type));
  // X15
  if (children.some((child) => owner === child || owner.endsWith(`.${child}`))) return false;
  if (isHidden(record, all, zone)) return false;
  if (at.some((other) => other.type === type && other.served === record.served)) return false;
  if (type === 'CNAME' ? at.length > 0 : has('CNAME')) return false;
  if (type === 'ALIAS' && has('A', 'AAAA', 'ALIAS')) return false;
  if ((type === 'A' || type === 'AAAA') && has('ALIAS')) return false;
  const mx = at.filter((other) => other.type === 'MX');
  if (type === 'MX' && mx.length > 0 && [record, ...mx].some(({ served }) => served === '0 .')) return false;
  if (type === 'DS' && !has('NS')) return false;
  const isAlias = (other: Draft) => other.type === 'HTTPS' && other.served.startsWith('0000');
  if (isAlias(record) && at.some(isAlias)) return false;
  return !closesLoop(record, all, zone);
}

/** X13: at or below a zone cut only NS, DS and glue are of use. */
export function isHidden<R extends Draft>(record: R, all: readonly R[], zone: string): boolean {
  const { name, type } = record;
  const owner = absolute(name, zone);
  const isGlueOf = (cut: string) =>
    (type === 'A' || type === 'AAAA') && all.some((ns) => ns.type === 'NS' && ns.name === cut && ns.target === owner);
  const cuts = all.filter((other) => other.type === 'NS' && other !== record).map((ns) => ns.name);
  const above = cuts.filter((cut) => name.endsWith(`.${cut}`));
  const nearest = above.sort((a, b) => b.length - a.length)[0];
  if (nearest !== undefined) return !isGlueOf(nearest);
  return cuts.includes(name) && type !== 'NS' && type !== 'DS' && !isGlueOf(name);
}

/** X4: following CNAME and ALIAS inside of the zone comes back to where it was. */
function closesLoop<R extends Draft>(record: R, all: readonly R[], zone: string): boolean {
  if (record.type !== 'CNAME' && record.type !== 'ALIAS') return false;
  const link = (name: string) =>
    all.find(({ type, name: at }) => (type === 'CNAME' || type === 'ALIAS') && absolute(at, zone) === name);
  const seen = new Set([absolute(record.name, zone)]);
  for (let next = record.target; next !== undefined; next = link(next)?.target) {
    if (seen.has(next)) return true;
    seen.add(next);
  }
  return false;
}

/**
 * The result of creating (or, with `replaced`, updating). `after` is the whole zone afterwards. @param coming records
 * that the same batch creates: other name servers of the same delegation have their addresses too
 */
export function judge(
  draft: ModelRecord,
  before: readonly ModelRecord[],
  zone: string,
  children: readonly string[],
  { replaced, coming = [] }: { replaced?: ModelRecord; coming?: readonly Draft[] } = {},
): { status: 400 | 409 | 200; after: ModelRecord[] } {
  if (isWrongAlone(draft, zone)) return { status: 400, after: [...before] };
  const rest = before.filter((other) => other !== replaced);
  const after = [...rest, draft];
  if (!mayStand(draft, after, zone, children)) return { status: 409, after: [...before] };
  // X14: a new delegation may not hide what was seen before it.
  const isOfCut = ({ name, type }: Draft) => type === 'NS' && draft.type === 'NS' && name === draft.name;
  const cut: Draft[] = [...after, ...coming.filter(isOfCut)];
  const hides =
    replaced === undefined && rest.some((o) => !isHidden<Draft>(o, rest, zone) && isHidden<Draft>(o, cut, zone));
  return hides ? { status: 409, after: [...before] } : { status: 200, after };
}

/** X12: the last NS of a name may not leave a DS behind. */
export function mayGo(record: ModelRecord, all: readonly ModelRecord[]): boolean {
  const rest = all.filter((other) => other !== record && other.name === record.name);
  const leavesDs = rest.some(({ type }) => type === 'DS') && !rest.some(({ type }) => type === 'NS');
  return record.type !== 'NS' || !leavesDs;
}
