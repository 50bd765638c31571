// The file of Knot's module `geoip` for a zone with weights: it answers a name with one of several records, each drawn
// with the chance of its weight. Pure.
//
// The module looks a question up by its name alone, before the zone is looked at. So the file omits names for which its
// answer would be wrong, and the zone answers them with all records:
//
//     not in the zone, or with other records there   the file would bring back what a commit has removed
//     at or below a zone cut or a DNAME              the zone has no authority there
//     a wildcard                                     its answers need a proof that no closer name exists
import { createHash } from 'node:crypto';
import { hasSameRecords, type ServedSet } from '#dns/served.ts';

/** The names of the file. Knot reads no others in it. */
const PLAIN = /^(@|[a-z0-9_][a-z0-9_-]*(\.[a-z0-9_][a-z0-9_-]*)*)$/;
/** The greatest weight in the file. */
const MAX_SHARE = 255;
/** Knot draws a number of 16 bits modulo the sum of the weights, so this sum favours none. */
const DRAW = 2 ** 14;
/** Knot signs the records of each draw when it reads the file: so many take a fifth of a second. */
const MAX_DRAWS = 2_000;

/** The names that decide whether weighted names may be answered by the module: they themselves, and those above. */
export function listDecisiveNames(weighted: Iterable<ServedSet>): string[] {
  const names = new Set<string>(['@']);
  for (const { name } of weighted) for (const each of [name, ...namesAbove(name)]) names.add(each);
  return [...names];
}

/**
 * Those of the weighted RRsets that the module may answer.
 * @param held the RRsets in the zone at the names of listDecisiveNames
 */
export function pickDrawable(weighted: readonly ServedSet[], held: readonly ServedSet[]): ServedSet[] {
  const setsByName = Map.groupBy(held, ({ name }) => name);
  const has = (name: string, ...types: string[]) => setsByName.get(name)?.some(({ type }) => types.includes(type));
  return weighted.filter((set) => {
    if (!PLAIN.test(set.name)) return false;
    if (set.name !== '@' && (has('@', 'DNAME') || has(set.name, 'NS'))) return false;
    if (namesAbove(set.name).some((name) => has(name, 'NS', 'DNAME'))) return false;
    return setsByName.get(set.name)?.some((each) => each.type === set.type && hasSameRecords(each, set)) ?? false;
  });
}

/** The names between a name and the apex, without both. */
function namesAbove(name: string): string[] {
  const labels = name.split('.');
  return labels.slice(1).map((_, at) => labels.slice(at + 1).join('.'));
}

/** The text of the file: the first names up to MAX_DRAWS. @param sets A and AAAA, with weights */
export function weightFile(zone: string, sets: readonly ServedSet[]): string {
  let text = '';
  let count = 0;
  const names = [...Map.groupBy(sets, (set) => set.name)].sort(([one], [other]) => (one < other ? -1 : 1));
  for (const [name, ofName] of names) {
    const ofDraws = listDraws(ofName);
    count += ofDraws.length;
    if (count > MAX_DRAWS) break;
    text += `${name === '@' ? zone : `${name}.${zone}`}.:\n`;
    for (const { share, records } of ofDraws) {
      text += `  - weight: ${share}\n`;
      for (const [type, value] of records) text += `    ${type}: ${value}\n`;
    }
  }
  return text;
}

interface Draw {
  readonly share: number;
  /** One value of each type. */
  readonly records: readonly (readonly [type: string, value: string])[];
}

/**
 * The module draws once for a name, and answers any type of that draw. So the numbers from 0 to a common sum are cut
 * where the value of any type changes, and each piece has one value of each type.
 */
function listDraws(sets: readonly ServedSet[]): Draw[] {
  const sums = sets.map(({ weights = [] }) => weights.reduce((sum, weight) => sum + weight, 0));
  const common = sums.reduce(leastCommonMultiple, 1);
  const total = Math.min(common, DRAW);
  const bounds = sets.map(({ weights = [] }, at) => boundsOf(weights, total / sums[at]!));
  const result: Draw[] = [];
  for (let from = 0; from < total; ) {
    const places = bounds.map((list) => list.findIndex((end) => end > from));
    const end = Math.min(from + MAX_SHARE, ...places.map((place, at) => bounds[at]![place]!));
    const records = sets.map(({ type, rdata }, at) => [type, rdata[places[at]!]!] as const);
    result.push({ share: end - from, records });
    from = end;
  }
  return result;
}

function boundsOf(weights: readonly number[], scale: number): number[] {
  let sum = 0;
  return weights.map((weight) => {
    sum += weight;
    return Math.round(sum * scale);
  });
}

function leastCommonMultiple(one: number, other: number): number {
  let [a, b] = [one, other];
  while (b > 0) [a, b] = [b, a % b];
  return (one / a) * other;
}

/** The TTL of all answers of the module in a zone: it has one for its file. */
export function weightTtl(sets: readonly ServedSet[]): number {
  return sets.reduce((least, { ttl }) => Math.min(least, ttl), Number.POSITIVE_INFINITY);
}

/** Stands for a zone in names of files and of the module: a zone's name may be too long for them. */
export function weightId(zone: string): string {
  return createHash('sha256').update(zone).digest('hex').slice(0, 32);
}
