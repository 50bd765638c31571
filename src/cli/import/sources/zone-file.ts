// Zone files (RFC 1035), also those that Cloudflare exports. Pure.
import { basename } from 'node:path';
import { parseZoneName } from '#dns/names/name.ts';
import { lineSteps, type ZoneFileLine } from '#dns/zonefile/lexer.ts';
import type { SourceZone } from '../source.ts';

/** Cloudflare writes its tags into the comment of a line. */
const TAG = /;.*\bcf_tags=/;
const PROXIED = /;.*\bcf_tags=\S*\bcf-proxied:true\b/;
const PROXY_NOTE =
  'Cloudflare answers this name with addresses of its proxy. Zonestead answers with this record, so clients reach its host directly.';

/**
 * @param from a path, whose last name may be that of the zone.
 * @param zone (Default: the owner of the SOA record, or the first $ORIGIN.)
 * @throws Error if neither names a zone
 */
export function parseZoneFileSource(from: string, text: string, zone?: string): SourceZone {
  const name = zone ?? zoneOfFile(text);
  if (name === null) throw new Error(`${from}: the file has neither $ORIGIN nor an absolute SOA record; give --zone`);
  const parsed = parseZoneName(name);
  if (!parsed.ok) throw new Error(`${from}: ${parsed.problem.message}`);
  const notes = new Map<number, string>();
  let isCloudflare = false;
  for (const [index, line] of text.split('\n').entries()) {
    if (!line.includes('cf_tags=')) continue;
    isCloudflare ||= TAG.test(line);
    if (PROXIED.test(line)) notes.set(index + 1, PROXY_NOTE);
  }
  return {
    ...{ from, zone: parsed.value, text, notes },
    isCloudflare: isCloudflare || /^;; Domain:/m.test(text),
    isNamedByText: zone === undefined && !basename(from).toLowerCase().startsWith(parsed.value),
  };
}

function zoneOfFile(text: string): string | null {
  let origin: string | null = null;
  for (const line of lineSteps(text)) {
    if (line === null || 'message' in line) continue;
    const [first, second] = line.words;
    if (first?.text.toUpperCase() === '$ORIGIN') origin ??= second?.text ?? null;
    else if (isSoa(line)) return first?.text.endsWith('.') && !line.indented ? first.text : origin;
  }
  return origin;
}

/** TTL and class are between the owner and the type. */
function isSoa({ words }: ZoneFileLine): boolean {
  return words.slice(0, 4).some(({ text, quoted }) => !quoted && text.toUpperCase() === 'SOA');
}
