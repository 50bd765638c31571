// `node test/vectors.ts FILE`: writes the record contents of FILE to a running service over HTTP and compares the
// served data, as dig shows it. Prints every disagreement and, last, `N agree, N disagree`; exits with 1 when there is
// one. ZONESTEAD_URL, ZONESTEAD_API_KEY, ZONESTEAD_TEAM and ZONESTEAD_DNS name the service (`source .local/env`). If
// the write limits are on, the run waits as Retry-After says, for half an hour in all: start the service with `--limits
// off`. It uses nothing of src/: the test must not share an error with the tested code.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

interface Wish {
  name?: string;
  type: string;
  content: string | null;
  priority?: number;
}

interface Vector extends Wish {
  id: string;
  source: string;
  name: string;
  /** `any`: our rules leave it open; if accepted it must be served as `dns` says. */
  expect: 'accept' | 'reject' | 'any';
  /** RDATA as it must be served; null: not compared. */
  dns: string | null;
  /** The RDATA in hex, where tools print octets differently. */
  wire?: string;
  /** The name as it must come back. */
  canon?: string;
  /** Compare the strings joined. */
  join?: unknown;
  /** Records to create first. */
  setup?: Wish[];
  /** Fields that are omitted. */
  omit?: string[];
  note: string;
}

const run = promisify(execFile);
const SERVED_MS = 3_000;

const setting = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is missing: start the service, then "source .local/env"`);
  return value;
};

async function main(file: string | undefined): Promise<number> {
  if (file === undefined) throw new Error('name the file of vectors: node test/vectors.ts FILE');
  const vectors = JSON.parse(await readFile(file, 'utf8')) as Vector[];
  const zone = `vectors-${randomBytes(4).toString('hex')}.example`;
  const created = await call('POST', '/zones', { zoneName: zone, owner: `org:${setting('ZONESTEAD_TEAM')}` });
  if (created.status !== 200) throw new Error(`no zone to work in: ${created.status} ${JSON.stringify(created.body)}`);
  const records = `/zones/${created.body.id}/records`;
  let disagree = 0;
  try {
    for (const vector of vectors) {
      const problem = await tryVector(inZone(vector, zone), zone, records);
      if (problem === null) continue;
      disagree += 1;
      print(`${vector.id} ${vector.type} ${clip(JSON.stringify(vector.content))}: ${problem} (${vector.note})`);
    }
  } finally {
    await call('DELETE', `/zones/${created.body.id}`);
  }
  print(`${vectors.length - disagree} agree, ${disagree} disagree`);
  return disagree === 0 ? 0 : 1;
}

/** The vector with the name of the run's zone in it. */
function inZone(vector: Vector, zone: string): Vector {
  return JSON.parse(JSON.stringify(vector).replaceAll('{zone}', zone));
}

/** The disagreement, or null. Leaves the zone as it was. */
async function tryVector(vector: Vector, zone: string, records: string): Promise<string | null> {
  const ids: string[] = [];
  try {
    for (const wish of vector.setup ?? []) {
      const { name = vector.name, ...rest } = wish;
      const { status, body } = await call('POST', records, { name, ...rest });
      if (status !== 201) return `its setup ${wish.type} is refused: ${status} ${body.message}`;
      ids.push(body.id as string);
    }
    const { name, type, content, priority } = vector;
    const wanted = Object.entries({ name, type, content, ...(priority === undefined ? {} : { priority }) });
    const body = Object.fromEntries(wanted.filter(([field]) => !vector.omit?.includes(field)));
    const answer = await call('POST', records, body);
    if (answer.status === 201) {
      ids.push(answer.body.id as string);
      if (vector.expect === 'reject') return `is accepted, as ${answer.body.name} ${answer.body.content}`;
      return await judgeAccepted(vector, answer.body, zone, records);
    }
    if (answer.status !== 400 && answer.status !== 409) return `answers ${answer.status} ${answer.body.error}`;
    if (vector.expect === 'accept') return `is refused: ${answer.status} ${answer.body.message}`;
    if (!isErrorBody(answer.body)) return `has no error body: ${clip(answer.text)}`;
    const left = await call('GET', records);
    const count = (left.body.records as unknown[]).length;
    return count === ids.length ? null : `is refused, but ${count - ids.length} record(s) were written`;
  } finally {
    for (const id of ids.reverse()) await call('DELETE', `${records}/${id}`);
  }
}

async function judgeAccepted(
  vector: Vector,
  made: Record<string, unknown>,
  zone: string,
  records: string,
): Promise<string | null> {
  const name = vector.canon ?? vector.name.toLowerCase();
  if (made.name !== name) return `comes back as ${made.name} instead of ${name}`;
  const listed = (await call('GET', records)).body.records as Record<string, unknown>[];
  const found = listed.find(({ id }) => id === made.id);
  if (JSON.stringify(found) !== JSON.stringify(made)) return `is listed as ${JSON.stringify(found)}`;
  if (vector.dns === null) return null;
  const owner = name === '@' ? zone : `${name}.${zone}`;
  // Waits a moment: the caches of the name server learn of the change after it.
  for (const until = performance.now() + SERVED_MS; ; await sleep(50)) {
    const problem = await judgeServed(vector, owner);
    if (problem === null || performance.now() > until) return problem;
  }
}

async function judgeServed(vector: Vector, owner: string): Promise<string | null> {
  const { dns, wire, join, type } = vector;
  const served = await dig(owner, type, wire !== undefined);
  const wanted = wire === undefined ? presented(dns as string, type, join !== undefined) : folded(wire, type);
  const texts = served.map((text) =>
    wire === undefined ? presented(text, type, join !== undefined) : folded(text, type),
  );
  if (texts.includes(wanted)) return null;
  return `is served as ${served.length === 0 ? 'nothing' : clip(served.join(' | '))} instead of ${clip(wire ?? dns ?? '')}`;
}

/**
 * The RDATA of a type at a name, in any section of the answer: delegations and their glue are outside of the answer
 * section.
 */
async function dig(name: string, type: string, hex: boolean): Promise<string[]> {
  const [address = '', port = '53'] = splitEnd(setting('ZONESTEAD_DNS'));
  const options = ['+norecurse', '+nosplit', '+noall', '+answer', '+authority', '+additional', '+time=2', '+tries=2'];
  const args = [
    `@${address}`,
    '-p',
    port,
    ...options,
    ...(hex ? ['+unknownformat'] : []),
    '-q',
    `${name}.`,
    '-t',
    type,
  ];
  const { stdout } = await run('dig', args, { timeout: 10_000 });
  return stdout.split('\n').flatMap((line) => {
    const [, owner, kind, rdata] = /^(\S+)\s+\d+\s+\S+\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    if (owner?.toLowerCase() !== `${name}.` || rdata === undefined) return [];
    if (hex)
      return kind === TYPE_OF[type] || kind === type ? [rdata.replace(/^\\# \d+ ?/, '').replaceAll(' ', '')] : [];
    return kind === type ? [rdata] : [];
  });
}

/** How dig names types when it is told to know none. */
const TYPE_OF: Readonly<Record<string, string>> = {
  ...{ A: 'TYPE1', NS: 'TYPE2', CNAME: 'TYPE5', PTR: 'TYPE12', MX: 'TYPE15', TXT: 'TYPE16', AAAA: 'TYPE28' },
  ...{ SRV: 'TYPE33', DS: 'TYPE43', TLSA: 'TYPE52', HTTPS: 'TYPE65', CAA: 'TYPE257' },
};

/** Text and flags of these are compared by the letter; in all others only names and hex digits have letters. */
const LETTERS: ReadonlySet<string> = new Set(['TXT', 'CAA', 'HTTPS']);

function presented(text: string, type: string, joined: boolean): string {
  const plain = joined ? text.replaceAll(/"\s+"/g, '') : text;
  // dig escapes the semicolon, which only begins a comment in a zone file outside of quotes.
  if (type === 'TXT') return plain.replaceAll('\\;', ';');
  return LETTERS.has(type) ? plain : plain.toLowerCase().replaceAll(/\s+/g, ' ');
}

/** Octets in hex, without the case of names. */
function folded(hex: string, type: string): string {
  if (type === 'TXT' || type === 'CAA') return hex.toLowerCase();
  return Buffer.from(Buffer.from(hex, 'hex').toString('latin1').toLowerCase(), 'latin1').toString('hex');
}

interface Answer {
  status: number;
  text: string;
  body: Record<string, unknown>;
}

/** Waits where it is told to. */
async function call(method: string, path: string, body?: unknown): Promise<Answer> {
  for (;;) {
    const answer = await fetch(`${setting('ZONESTEAD_URL')}/v1/dns${path}`, {
      method,
      headers: {
        authorization: `Bearer ${setting('ZONESTEAD_API_KEY')}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
    const text = await answer.text();
    if (answer.status !== 429 && answer.status !== 503) {
      return { status: answer.status, text, body: text === '' ? {} : JSON.parse(text) };
    }
    await sleep(Number(answer.headers.get('retry-after') ?? 1) * 1000);
  }
}

function splitEnd(text: string): [string, string] {
  const at = text.lastIndexOf(':');
  return [text.slice(0, at), text.slice(at + 1)];
}

function clip(text: string): string {
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}

/** `{error, message}` with optional `field` and `records`. */
function isErrorBody({ error, message, field = '', records = [], ...others }: Record<string, unknown>): boolean {
  const texts = [error, message, field].every((text) => typeof text === 'string');
  return texts && Array.isArray(records) && Object.keys(others).length === 0;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

try {
  process.exitCode = await main(process.argv[2]);
} catch (error) {
  process.stderr.write(`vectors: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
