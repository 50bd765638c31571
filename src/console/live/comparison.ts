// The name servers of a zone side by side: nodes, secondaries and others, each with its serial, its lag and its answer.
// A server that tells the name of its node (NSID, RFC 5001) and the report of this node are one row. Pure.
import type { compareServers, LiveServer } from '#dns/live.ts';
import type { NodeOfZone } from '#service/nodes/living.ts';
import { clipText } from '../shell/shown.ts';
import { type When, whenOf } from '../shell/when.ts';

interface Secondary {
  name: string;
  nameservers: readonly string[];
  state: 'current' | 'behind' | 'silent' | 'unknown';
  serial?: number;
  since?: string;
  reason?: string;
}

type State = 'up to date' | 'behind' | 'starting' | 'failing' | 'no answer' | 'unknown';

export interface Row {
  name: string;
  role: 'node' | 'secondary' | 'name server';
  /** The host name and address that was queried. Null: only a report is known. */
  host: string | null;
  state: State;
  /** The CSS class. */
  kind: 'done' | 'warn' | 'failed' | '';
  /** When the server was up to date last. */
  since: When | null;
  reason: string | null;
  serial: number | null;
  /** Milliseconds. */
  ms: number | null;
  /** Null: the server was not queried, or did not answer. */
  answer: { rcode: string; isAuthoritative: boolean; differs: boolean; records: string[]; more: number } | null;
}

export interface Compared {
  servers: readonly LiveServer[];
  differences: ReturnType<typeof compareServers>;
  nodes: readonly NodeOfZone[];
  secondaries: readonly Secondary[];
  /** The serial that the zone has at the service. */
  serial: number;
}

const ANSWERS_SHOWN = 40;
const KINDS: Readonly<Record<State, Row['kind']>> = {
  'up to date': 'done',
  behind: 'warn',
  starting: 'warn',
  failing: 'failed',
  'no answer': 'failed',
  unknown: '',
};

/** Nodes first, then secondaries, then other name servers, each by name. */
export function buildServerRows({ servers, differences, nodes, secondaries, serial }: Compared, now: Date): Row[] {
  const queried = servers.map((server, at) => {
    const node = nodes.find((each) => each.node === server.node);
    const secondary = secondaries.find((each) => each.nameservers.includes(server.name));
    const report = node ? reportOfNode(node) : secondary ? reportOfSecondary(secondary) : null;
    return { ...queriedRow(server, differences[at], report, now), node, secondary };
  });
  const rest = [
    ...nodes.filter((each) => queried.every(({ node }) => node !== each)).map(reportOfNode),
    ...secondaries.filter((each) => queried.every(({ secondary }) => secondary !== each)).map(reportOfSecondary),
  ].map((report) => reportedRow(report, serial, now));
  const order = ['node', 'secondary', 'name server'];
  return [...queried.map(({ node: _, secondary: __, ...row }) => row), ...rest].sort(
    (a, b) => order.indexOf(a.role) - order.indexOf(b.role) || a.name.localeCompare(b.name),
  );
}

/** `2 of 3 name servers are up to date. ns3 is behind.` */
export function summarizeRows(rows: readonly Row[]): string {
  const late = rows.filter(({ state }) => state !== 'up to date');
  if (rows.length === 0) return 'No name server is known.';
  const count = describeCount(rows.length, late.length);
  const words: Record<State, string> = {
    'up to date': 'is up to date',
    behind: 'is behind',
    starting: 'is starting',
    failing: 'does not serve the zone as stored',
    'no answer': 'does not answer',
    unknown: 'is in an unknown state',
  };
  const times = (since: When | null) => (since === null ? '' : ` for ${since.span}`);
  return [count, ...late.map(({ name, state, since }) => `${name} ${words[state]}${times(since)}.`)]
    .filter(Boolean)
    .join(' ');
}

function describeCount(all: number, late: number): string {
  // The sentence about a single server that is late says all.
  if (all === 1) return late === 0 ? 'The name server is up to date.' : '';
  if (late === 0) return `All ${all} name servers are up to date.`;
  const current = all - late;
  return current === 0
    ? `None of the ${all} name servers is up to date.`
    : `${current} of ${all} name servers ${current === 1 ? 'is' : 'are'} up to date.`;
}

interface Report {
  name: string;
  role: 'node' | 'secondary';
  state: State;
  serial: number | null;
  since: string | null;
  reason: string | null;
}

function reportOfNode({ node, current, starting, behindSince, error }: NodeOfZone): Report {
  const state = error !== undefined ? 'failing' : starting ? 'starting' : current ? 'up to date' : 'behind';
  return { name: node, role: 'node', state, serial: null, since: behindSince ?? null, reason: error ?? null };
}

function reportOfSecondary({ name, state, serial, since, reason }: Secondary): Report {
  const states = { current: 'up to date', behind: 'behind', silent: 'no answer', unknown: 'unknown' } as const;
  return {
    ...{ name, role: 'secondary', state: states[state], serial: serial ?? null },
    ...{ since: since ?? null, reason: reason ?? null },
  };
}

/** A server that reports all changes as applied has the serial of the service, or a higher one. */
function reportedRow(report: Report, storedSerial: number, now: Date): Row {
  const since = report.since === null ? null : whenOf(report.since, now);
  const serial = report.serial ?? (report.state === 'up to date' ? storedSerial : null);
  return { ...report, serial, since, kind: KINDS[report.state], host: null, ms: null, answer: null };
}

/** The measured serial decides whether a server is behind; its report says since when and why. */
function queriedRow(
  server: LiveServer,
  difference: Compared['differences'][number] | undefined,
  report: Report | null,
  now: Date,
): Row {
  const serialTexts = { current: 'up to date', behind: 'behind', unknown: 'unknown' } as const;
  const isReported = report !== null && (report.state === 'failing' || difference?.serial === 'unknown');
  const state =
    server.problem !== null ? 'no answer' : isReported ? report.state : serialTexts[difference?.serial ?? 'unknown'];
  const isLate = state !== 'up to date';
  const host = server.address === null ? server.name : `${server.name} (${server.address})`;
  return {
    name: report?.name ?? server.name,
    role: report?.role ?? 'name server',
    host,
    state,
    kind: KINDS[state],
    since: isLate && report?.since ? whenOf(report.since, now) : null,
    reason: server.problem ?? (isLate ? (report?.reason ?? null) : null),
    serial: server.serial,
    ms: server.ms,
    answer: server.rcode === null ? null : toShownAnswer(server, difference?.differs ?? false),
  };
}

function toShownAnswer({ rcode, aa, answers }: LiveServer, differs: boolean): Row['answer'] {
  return {
    rcode: rcode ?? '',
    isAuthoritative: aa,
    differs,
    records: answers.slice(0, ANSWERS_SHOWN).map(({ ttl, type, text }) => `${ttl} ${type} ${clipText(text)}`),
    more: Math.max(0, answers.length - ANSWERS_SHOWN),
  };
}
