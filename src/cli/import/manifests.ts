// `zonestead import --manifests`: the zones of the sources as objects. It asks no service.

import { shownText } from '#base/printable.ts';
import { DEFAULT_TTL } from '#dns/record.ts';
import { finishInTurns } from '#dns/steps.ts';
import { type Manifest, type Manifests, planManifests } from '#resources/manifests.ts';
import { renderManifests } from '#resources/render-manifests.ts';
import type { OutputFormat } from '../output.ts';
import { parseNamespace } from '../rest/namespace.ts';
import { type ReadOptions, type ReadZone, readSteps } from './read.ts';
import { type RegistryOptions, useRegistry } from './registry.ts';
import { remarkLines } from './remarks.ts';
import type { SourceZone } from './source.ts';

export interface ManifestOptions extends Pick<ReadOptions, 'skipUnsupported'>, RegistryOptions {
  externalDns?: boolean;
  skipRefused?: boolean;
  namespace?: string;
  output: OutputFormat;
}

interface Printers {
  print(line: string): void;
  /** For remarks: they are text of the source, and the output is for programs. */
  warn(line: string): void;
  signal: AbortSignal;
}

/** The characters of the name of a source that a line shows. */
const MAX_SOURCE = 200;

const IMPORTED_ZONE = {
  first: '# An imported zone. Records that the service has already are taken over if they are the same.',
  administrator: 'If the zone exists there, an administrator must allow this once',
};

/**
 * @returns whether nothing was refused
 * @throws Error if a source cannot be read
 */
export async function printManifests(
  sources: AsyncIterable<SourceZone>,
  options: ManifestOptions,
  { print, warn, signal }: Printers,
): Promise<boolean> {
  const namespace = parseNamespace(options.namespace);
  const format = options.output === 'json' ? 'json' : 'yaml';
  const all: Manifest[] = [];
  let complete = true;
  let isFirst = true;
  for await (const source of sources) {
    const read = await readZone(source, options, signal);
    const { objects, leftOut } = buildManifests(read, namespace);
    const omitted = leftOut.map(({ name, type, why }) => ({ place: `${name} ${type}`, message: why }));
    const refused = [...read.refused, ...omitted];
    warn(`${read.zone}, from ${shownText(read.from, MAX_SOURCE)}:`);
    for (const line of remarkLines({ ...read, refused })) warn(`  ${line}`);
    complete &&= options.skipRefused === true || refused.length === 0;
    if (format === 'json') all.push(...objects);
    else {
      if (!isFirst) print('---');
      print(renderManifests(objects, { format, namespace }, IMPORTED_ZONE));
    }
    isFirst = false;
  }
  if (format === 'json') print(renderManifests(all, { format, namespace }));
  return complete;
}

async function readZone(source: SourceZone, options: ManifestOptions, signal: AbortSignal): Promise<ReadZone> {
  const steps = readSteps(source, { ...options, defaultTtl: DEFAULT_TTL, children: [] });
  const read = await finishInTurns(steps, signal);
  return options.externalDns ? withoutOwned(useRegistry(read, options)) : read;
}

/** external-dns keeps its records, so no object may manage them. */
function withoutOwned(read: ReadZone): ReadZone {
  const owned = read.records.filter(({ owner }) => owner !== undefined);
  const remarks = owned.map(({ place, owner }) => ({ place, message: `The record belongs to ${owner}.` }));
  const records = read.records.filter(({ owner }) => owner === undefined);
  return { ...read, records, skipped: [...read.skipped, ...remarks] };
}

function buildManifests({ zone, records }: ReadZone, namespace: string | undefined): Manifests {
  const facts = records.map(({ record: { name, type, content, ttl, priority }, comment }) => ({
    name,
    type,
    content,
    ttl: ttl ?? DEFAULT_TTL,
    priority,
    comment,
  }));
  return planManifests({ zoneName: zone, state: 'active', defaultTtl: DEFAULT_TTL }, facts, namespace);
}
