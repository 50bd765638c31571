// Zones of the HTTP API of PowerDNS (version 4 and later).

import { z } from 'zod';
import { formatError } from '#base/error-text.ts';
import { shownText } from '#base/printable.ts';
import { parseZoneName } from '#dns/names/name.ts';
import { clip } from '#dns/verdict.ts';
import { collect } from '../../input.ts';
import { createLines, type SourceZone } from '../source.ts';

const LIMIT_MS = 60_000;
/** The characters of the name of a zone that lines about it show. */
const MAX_NAME = 260;

const zoneList = z.array(z.object({ name: z.string() }));
const zoneDetail = z.object({
  name: z.string(),
  rrsets: z.array(
    z.object({
      name: z.string(),
      type: z.string(),
      ttl: z.number(),
      records: z.array(z.object({ content: z.string(), disabled: z.boolean().optional() })),
      comments: z.array(z.object({ content: z.string() })).optional(),
    }),
  ),
});

interface PowerDnsOptions {
  /** The address without /api. */
  url: string;
  key: string;
  /** (Default: all zones of the server.) */
  zone?: string | undefined;
  signal: AbortSignal;
}

/** @throws Error if the server does not answer as PowerDNS does */
export async function* readPowerDns({ url, key, zone, signal }: PowerDnsOptions): AsyncGenerator<SourceZone> {
  const get = <T>(path: string, schema: z.ZodType<T>) => ask({ url, key, path, schema, signal });
  const names = zone === undefined ? (await get('', zoneList)).map(({ name }) => name) : [absolute(zone)];
  for (const name of names) {
    // PowerDNS writes a slash as =2F (RFC 2317 zones).
    const id = encodeURIComponent(name).replaceAll('%2F', '=2F');
    const from = `${url}, zone ${shownText(name, MAX_NAME)}`;
    yield toSourceZone(from, name, await get(`/${id}`, zoneDetail));
  }
}

function absolute(zone: string): string {
  return zone.endsWith('.') ? zone : `${zone}.`;
}

/** @param asked the zone of the question: the answer must not choose the zone that the import writes */
function toSourceZone(from: string, asked: string, { name, rrsets }: z.infer<typeof zoneDetail>): SourceZone {
  const [parsed, answered] = [parseZoneName(asked), parseZoneName(name)];
  if (!parsed.ok) throw new Error(`${from}: ${parsed.problem.message}`);
  if (!answered.ok || answered.value !== parsed.value) {
    throw new Error(`${from}: the server answers with the zone ${clip(name)}, and not with the zone of the question`);
  }
  const lines = createLines(from);
  for (const { name: owner, type, ttl, records, comments = [] } of rrsets) {
    for (const [index, { content, disabled }] of records.entries()) {
      const place = records.length === 1 ? `${owner} ${type}` : `${owner} ${type}, record ${index + 1}`;
      if (disabled) lines.refuse(place, 'The record is disabled at PowerDNS.', 'skipped');
      else lines.add({ place, name: owner, type, ttl, rdata: content, comment: comments[0]?.content });
    }
  }
  return lines.zone(parsed.value);
}

interface Question<T> {
  url: string;
  key: string;
  path: string;
  schema: z.ZodType<T>;
  signal: AbortSignal;
}

async function collectBody(response: Response): Promise<Buffer> {
  return response.body === null ? Buffer.alloc(0) : collect(response.body);
}

function parseJson(octets: Buffer): unknown {
  try {
    return JSON.parse(octets.toString());
  } catch {
    return null;
  }
}

async function ask<T>({ url, key, path, schema, signal }: Question<T>): Promise<T> {
  const address = `${url.replace(/\/$/, '')}/api/v1/servers/localhost/zones${path}`;
  const limit = AbortSignal.timeout(LIMIT_MS);
  let response: Response;
  let body: unknown;
  try {
    response = await fetch(address, {
      headers: { 'x-api-key': key, accept: 'application/json' },
      redirect: 'error',
      signal: AbortSignal.any([signal, limit]),
    });
    body = parseJson(await collectBody(response));
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new Error(`no answer from ${address}: ${formatError(cause)}`);
  }
  if (response.status === 401) throw new Error(`${address} does not accept the key; --powerdns-key names its file`);
  if (response.status === 404 || response.status === 422) throw new Error(`${address}: PowerDNS has no such zone`);
  if (!response.ok) throw new Error(`${address} answers ${response.status}`);
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new Error(`${address} does not answer as the API of PowerDNS 4 does`);
}
