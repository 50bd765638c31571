// acme.sh's dns_pdns, which no package registry has: the requests that it sends, spelled as it spells them, and how it
// finds its values in the text of a zone.
import type { RecordedRequest } from './recorded.support.ts';

export interface AcmeShStep {
  request: RecordedRequest;
  /** The values that it must find in the answer. */
  finds?: readonly string[];
}

/** curl sends the content type of a form unless it is told another one. */
export function acmeShHeaders(method: string): Record<string, string | undefined> {
  const types: Record<string, string> = { PATCH: 'application/json', PUT: 'application/x-www-form-urlencoded' };
  const agent = 'acme.sh/3.1.1 (https://github.com/acmesh-official/acme.sh)';
  return { accept: '*/*', 'user-agent': agent, 'content-type': types[method] };
}

/** Adds two values at `name`, and removes them. Neither name has its final dot. */
export function acmeShSteps(zone: string, name: string, [first, second]: readonly [string, string]): AcmeShStep[] {
  return [
    ...add(zone, name, first, []),
    ...add(zone, name, second, [first]),
    ...remove(zone, name, first, [first, second]),
    ...remove(zone, name, second, [second]),
  ];
}

function add(zone: string, name: string, value: string, before: readonly string[]): AcmeShStep[] {
  return [...search(zone, name), read(zone, before), replace(zone, name, [value, ...before]), notify(zone)];
}

/** It deletes all values, and adds the others again. */
function remove(zone: string, name: string, value: string, before: readonly string[]): AcmeShStep[] {
  const others = before.filter((each) => each !== value);
  const rrset = `{"changetype": "DELETE", "name": "${name}.", "type": "TXT"}`;
  const again = others.length === 0 ? [] : [replace(zone, name, others)];
  return [...search(zone, name), read(zone, before), patch(zone, rrset), ...again, notify(zone)];
}

/** It asks for the name itself, then for each name above it until a zone is there. */
function search(zone: string, name: string): AcmeShStep[] {
  const labels = name.split('.');
  const names = labels.map((_, from) => labels.slice(from).join('.'));
  return names
    .slice(0, names.indexOf(zone) + 1)
    .map((each): AcmeShStep => ({ request: ['GET', `/zones?zone=${each}.`] }));
}

const read = (zone: string, finds: readonly string[]): AcmeShStep => ({ request: ['GET', `/zones/${zone}.`], finds });

function replace(zone: string, name: string, values: readonly string[]): AcmeShStep {
  const records = values.map((value) => `{"content": "\\"${value}\\"", "disabled": false}`).join(', ');
  return patch(
    zone,
    `{"changetype": "REPLACE", "name": "${name}.", "type": "TXT", "ttl": 60, "records": [${records}]}`,
  );
}

const patch = (zone: string, rrset: string): AcmeShStep => ({
  request: ['PATCH', `/zones/${zone}.`, `{"rrsets": [${rrset}]}`],
});

const notify = (zone: string): AcmeShStep => ({ request: ['PUT', `/zones/${zone}./notify`, ''] });

/**
 * The values at a name that it finds in an answer, sorted. It does not parse JSON: it looks for the name of an RRset,
 * and takes the contents between the name and the next closing bracket.
 */
export function valuesForAcmeSh(text: string, name: string): string[] {
  const compact = text.replaceAll(/" *: *(?=["{[])/g, '":');
  const [, after = ''] = compact.split(`"name":"${name}`);
  const [rrset = ''] = /^[^\]]*}/.exec(after) ?? [];
  return [...rrset.matchAll(/content":"\\"([^\\]*)/g)].map(([, value = '']) => value).sort();
}
