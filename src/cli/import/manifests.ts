// `zonestead import --manifests`: the zones of the sources as objects. It asks no service.
import { finishInTurns } from '#dns/steps.ts';
import { planManifests } from '../rest/manifests.ts';
import { renderManifests } from '../rest/zone-manifests.ts';
import { type ReadOptions, type ReadZone, readSteps } from './read.ts';
import { type RegistryOptions, useRegistry } from './registry.ts';
import type { SourceZone } from './source.ts';

export interface ManifestOptions extends Pick<ReadOptions, 'skipUnsupported'>, RegistryOptions {
  externalDns?: boolean;
  skipRefused?: boolean;
  namespace?: string;
}

interface Output {
  print(line: string): void;
  signal: AbortSignal;
}

/** The default TTL of a DNSZone that has no other, in seconds. */
const DEFAULT_TTL = 3_600;

/** Remarks are comments, so that the output stays YAML. @returns whether nothing was refused */
export async function printManifests(
  sources: AsyncIterable<SourceZone>,
  options: ManifestOptions,
  { print, signal }: Output,
): Promise<boolean> {
  let complete = true;
  let isFirst = true;
  for await (const source of sources) {
    const steps = readSteps(source, { ...options, defaultTtl: DEFAULT_TTL, children: [] });
    const all = await finishInTurns(steps, signal);
    const read = options.externalDns ? withoutOwned(useRegistry(all, options)) : all;
    if (!isFirst) print('---');
    isFirst = false;
    for (const line of remarksOf(read)) print(`# ${line}`.replace(/\s+/g, ' '));
    const manifests = manifestsOf(read, options.namespace);
    const first = `# The zone ${read.zone}. Records that the service has already are taken over if they are the same.`;
    print(renderManifests(read.zone, manifests, options.namespace, first));
    complete &&= options.skipRefused === true || (read.refused.length === 0 && manifests.leftOut.length === 0);
  }
  return complete;
}

/** external-dns keeps its records, so no object may manage them. */
function withoutOwned(read: ReadZone): ReadZone {
  const owned = read.records.filter(({ owner }) => owner !== undefined);
  const remarks = owned.map(({ place, owner }) => ({ place, message: `The record belongs to ${owner}.` }));
  const records = read.records.filter(({ owner }) => owner === undefined);
  return { ...read, records, skipped: [...read.skipped, ...remarks] };
}

function manifestsOf({ zone, records }: ReadZone, namespace: string | undefined) {
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

function remarksOf({ from, refused, skipped, notes }: ReadZone): string[] {
  return [
    `From ${from}.`,
    ...refused.map(({ place, message }) => `Refused: ${place}: ${message}`),
    ...skipped.map(({ place, message }) => `Skipped: ${place}: ${message}`),
    ...notes.map(({ place, message }) => `Note: ${place}: ${message}`),
  ];
}
