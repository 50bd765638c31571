/**
 * The rules across records (X1–X19) over a whole zone at once: each record is judged beside all others, in no order, so
 * that everything that is wrong is found in one go. For zone files; what one write may do is rrset.ts' part.
 */
import { boundSize } from './beside.ts';
import { Neighbourhood } from './neighbourhood.ts';
import type { ParsedRecord } from './record.ts';
import { judgeWrite, type Neighbour } from './rrset.ts';
import { finish, type Steps } from './steps.ts';
import { isAliasForm } from './types/https.ts';
import type { LineProblem } from './zonefile-lexer.ts';
import type { FileRecord } from './zonefile-read.ts';

/** Records between two steps. */
const STEP = 500;

/** @param children the child zones that are hosted here, named absolutely; records in them are refused */
export function checkZone(
  records: readonly FileRecord[],
  zone: string,
  children: readonly { id: string; name: string }[],
): LineProblem[] {
  return finish(zoneCheckSteps(records, zone, children));
}

/** checkZone in steps. */
export function* zoneCheckSteps(
  records: readonly FileRecord[],
  zone: string,
  children: readonly { id: string; name: string }[],
): Steps<LineProblem[]> {
  const hood = new Neighbourhood(zone);
  hood.learnChildren(children);
  hood.learnNames(new Set(records.map(({ record }) => record.ordername)), []);
  const values = new Map<string, string>();
  const sets = new Map<string, { line: number; members: ParsedRecord[] }>();
  const kinds = new Map<string, number>();
  const problems: LineProblem[] = [];
  const unique: FileRecord[] = [];

  for (const [index, { line, record }] of records.entries()) {
    if (index % STEP === 0) yield;
    const key = `${record.ordername}\n${record.type}`;
    const twin = values.get(`${key}\n${record.rdata}`);
    if (twin !== undefined) {
      problems.push({ line, message: `content: This ${record.type} record stands in ${twin} already; remove one.` });
      continue;
    }
    values.set(`${key}\n${record.rdata}`, idOf(line));
    unique.push({ line, record });
    const set = sets.get(key);
    if (set === undefined) sets.set(key, { line, members: [record] });
    else set.members.push(record);
    if (isCompany(record, kinds)) hood.put(asNeighbour(line, record));
  }
  const sizes = [...sets.values()].flatMap(({ line, members }) => judgeSet(line, members, zone) ?? []);
  // Judging beside a set without bounds would cost without bounds.
  if (sizes.length > 0) return [...problems, ...sizes].sort(byLine);
  for (const [index, { line, record }] of unique.entries()) {
    if (index % STEP === 0) yield;
    // As if it took its own place: what a delegation hides is refused at the lines that it hides.
    const judged = judgeWrite(record, hood.around(record, idOf(line)));
    if (!judged.ok) problems.push({ line, message: `${judged.problem.field}: ${judged.problem.message}` });
  }
  return problems.sort(byLine);
}

function byLine(a: LineProblem, b: LineProblem): number {
  return a.line - b.line;
}

/** In a message it stands where an id would. */
function idOf(line: number): string {
  return `line ${line}`;
}

function asNeighbour(line: number, record: ParsedRecord): Neighbour {
  return { ...record, id: idOf(line) };
}

/**
 * Whether a record has to be among those that others are judged by. No rule but those about duplicates and sizes, which
 * are judged apart, looks at more than two of a kind; a name with thousands of records would else cost their square.
 */
function isCompany({ ordername, type, target, wire }: ParsedRecord, kinds: Map<string, number>): boolean {
  if (type === 'NS') return true;
  const kind = [ordername, type, target === null, type === 'HTTPS' && isAliasForm(wire)].join('\n');
  const count = (kinds.get(kind) ?? 0) + 1;
  kinds.set(kind, count);
  return count <= 2;
}

function judgeSet(line: number, members: readonly ParsedRecord[], zone: string): LineProblem | null {
  const [first, ...rest] = members as [ParsedRecord, ...ParsedRecord[]];
  const atName = rest.map((record) => asNeighbour(0, record));
  const size = boundSize(first, {
    zone,
    atName,
    cutsAbove: [],
    nsAtCutTargets: [],
    below: { names: [], total: 0 },
    inZoneCname: () => null,
  });
  return size.ok ? null : { line, message: `${size.problem.field}: ${size.problem.message}` };
}
