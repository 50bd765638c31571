// The secondaries of the chart's values. Each has a Secret with its TSIG key, which its servers read. The names are
// remembered in a Secret, so that one that leaves the values leaves the service, and secondaries that people added
// stay. Every step can be repeated:
//
//   the Secrets have the keys → the names are remembered → the service has the secondaries
//   → those that left are removed
import { randomBytes } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { z } from 'zod';
import { formatHostPort } from '#base/address.ts';
import { formatCause } from '#base/error-text.ts';
import { preferFamily } from '#base/families.ts';
import { plainName } from '#dns/names/plain.ts';
import { DEFAULT_TSIG_ALGORITHM, defaultTsigName, tsigSecretOctets } from '#dns/secondaries/secondary.ts';
import type { KubeApi } from '#kube/api/api.ts';
import { changeSecret, readSecret } from '#kube/objects/secrets.ts';
import { adminPutSecondary, adminRemoveSecondary, UnknownSecondary } from '#service/secondaries/administration.ts';
import { parseSecondaryEndpoint, type SecondaryInput } from '#service/secondaries/input.ts';
import { UnknownZone } from '#service/secondaries/write.ts';
import type { Logger } from '#telemetry/log.ts';
import { jsonList } from './json-list.ts';

const texts = z.array(z.string());
const secondary = z.strictObject({
  name: z.string().min(1),
  /** Addresses, or names that are resolved once, each with an optional port. */
  addresses: texts.min(1),
  transfersFrom: texts.optional(),
  nameservers: texts.optional(),
  zones: z.union([z.literal('all'), texts]).optional(),
  catalog: z.boolean().optional(),
  notify: z.boolean().optional(),
  requireTls: z.boolean().optional(),
  pins: texts.optional(),
  offer: z
    .strictObject({ all: z.boolean().optional(), teams: texts.optional(), namespaces: texts.optional() })
    .optional(),
  tsig: z.strictObject({ name: z.string().optional(), algorithm: z.string().optional() }).optional(),
  /** `own`: the Job creates it; otherwise it must exist. */
  secret: z.strictObject({ name: z.string().min(1), key: z.string().min(1), own: z.boolean() }),
});
export type ChartSecondary = z.output<typeof secondary>;

/** The value of --secondaries. */
export const chartSecondaries = jsonList(secondary, 'secondaries');

interface Place {
  api: KubeApi;
  namespace: string;
  log: Logger;
}

/** The key of the Secret with the names. */
const NAMES = 'names';

/** Ensures the Secrets that the Job creates. The secret in one that is there stays. */
export async function secondarySecrets(
  all: readonly ChartSecondary[],
  labels: Record<string, string>,
  { api, namespace }: Omit<Place, 'log'>,
  signal: AbortSignal,
): Promise<void> {
  for (const { name, tsig = {}, secret } of all) {
    if (!secret.own) continue;
    const algorithm = tsig.algorithm ?? DEFAULT_TSIG_ALGORITHM;
    const facts = { name: tsig.name ?? defaultTsigName(name), algorithm };
    await changeSecret(
      api,
      { namespace, name: secret.name },
      (found) => {
        const text = found?.texts[secret.key]?.trim() || randomBytes(tsigSecretOctets(algorithm)).toString('base64');
        const wanted = { ...facts, [secret.key]: text };
        const isSame = Object.entries(wanted).every(([key, value]) => found?.texts[key] === value);
        return isSame ? null : { texts: wanted, labels };
      },
      signal,
    );
  }
}

/**
 * Makes the secondaries of the service those of the values.
 * @param remembered the Secret with the names of those that came from the values
 * @param resolve (Default: the resolver of the system.)
 * @throws Error that names the secondary and what is wrong with it
 */
export async function applySecondaries(
  url: string,
  all: readonly ChartSecondary[],
  remembered: string,
  labels: Record<string, string>,
  { api, namespace, log }: Place,
  signal: AbortSignal,
  resolve: (host: string) => Promise<string> = ofSystem,
): Promise<void> {
  const at = { namespace, name: remembered };
  const before = namesIn((await readSecret(api, at, signal))?.texts[NAMES]);
  const now = all.map(({ name }) => name);
  const gone = before.filter((name) => !now.includes(name));
  await remember([...now, ...gone]);
  for (const each of all) {
    try {
      await applyOne(url, each, { api, namespace, log }, signal, resolve);
    } catch (error) {
      signal.throwIfAborted();
      throw new Error(`secondary ${each.name} of the values: ${formatCause(error)}`);
    }
  }
  for (const name of gone) {
    await adminRemoveSecondary(url, name, new Date()).catch((error: unknown) => {
      // It was removed already.
      if (!(error instanceof UnknownSecondary)) throw error;
    });
    log.info({ secondary: name }, 'the secondary left the values, and is removed');
  }
  await remember(now);

  async function remember(names: readonly string[]): Promise<void> {
    const wanted = [...names].sort().join(',');
    const plan = (found: { texts: Readonly<Record<string, string>> } | undefined) =>
      (found?.texts[NAMES] ?? '') === wanted ? null : { texts: { [NAMES]: wanted }, labels };
    await changeSecret(api, at, plan, signal);
  }
}

async function applyOne(
  url: string,
  { secret, tsig = {}, addresses, ...rest }: ChartSecondary,
  { api, namespace, log }: Place,
  signal: AbortSignal,
  resolve: (host: string) => Promise<string>,
): Promise<void> {
  const found = await readSecret(api, { namespace, name: secret.name }, signal);
  const text = found?.texts[secret.key]?.trim();
  if (!text)
    throw new Error(`Secret ${namespace}/${secret.name} has no key ${secret.key}; it needs the TSIG secret in base64`);
  const places = await Promise.all(
    addresses.map(async (given) => {
      const { address, port } = parseSecondaryEndpoint(given);
      const resolved = isIP(address) === 0 ? await resolve(address) : address;
      return formatHostPort(resolved, port);
    }),
  );
  const key = {
    name: tsig.name ?? defaultTsigName(rest.name),
    algorithm: tsig.algorithm ?? DEFAULT_TSIG_ALGORITHM,
    secret: text,
  };
  const isNew = await putKnown({ ...rest, addresses: places, tsig: key });
  log.info(
    { secondary: rest.name, addresses: places },
    isNew ? 'the secondary is added' : 'the secondary is as the values say',
  );

  /** Without the zones that do not exist, because the service of a first installation has none. */
  async function putKnown(input: SecondaryInput): Promise<boolean> {
    try {
      return (await adminPutSecondary(url, input, randomBytes, new Date())).isNew;
    } catch (error) {
      if (!(error instanceof UnknownZone) || !Array.isArray(input.zones)) throw error;
      const { zone } = error;
      const known = input.zones.filter((each) => plainName(each) !== zone);
      log.warn(
        { secondary: rest.name, zone },
        'the zone does not exist; the next upgrade adds it to the list if it exists by then',
      );
      return putKnown({ ...input, zones: known });
    }
  }
}

function namesIn(text: string | undefined): string[] {
  return (text ?? '').split(',').filter((name) => name !== '');
}

async function ofSystem(host: string): Promise<string> {
  const addresses = (await lookup(host, { all: true })).map(({ address }) => address);
  const [first] = preferFamily(addresses);
  if (first === undefined) throw new Error(`${host} has no address`);
  return first;
}
