// `zonestead bootstrap`: creates everything that the processes of an installation need to start: Secrets, database,
// role, the first team, the trusts and the key of the name servers. It also migrates the database. Every step can be
// repeated, even by two Jobs at once, and keeps existing data.
//
//   Secrets (other pods wait for them, and they need no database) → database and migrations
//   → zones, trusts and keys are registered
//
// If a part is missing, the Job logs it once and retries until the time limit.
import { randomBytes } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatCause } from '#base/error-text.ts';
import { Keyring, newKeyringKey, parseKeyringKeys } from '#base/keyring.ts';
import { type DatabaseProtection, protectedDatabaseUrl } from '#base/postgres-settings.ts';
import { sleep } from '#base/wait.ts';
import type { KubeApi } from '#kube/api/api.ts';
import { changeSecret, readSecret, type Secret, type SecretTexts } from '#kube/objects/secrets.ts';
import { migrateDatabase, prepareDatabase } from '#service/accounts/bootstrap.ts';
import { ensureDeclaredZone } from '#service/zones/declared-zone.ts';
import { keepCertificates } from './certificates.ts';
import { componentKeys, registerKey, secretOfKey } from './component-keys.ts';
import type { BootstrapContext, JobContext } from './context.ts';
import { adminUrl, databaseTexts, ENCRYPTION_KEYS, holds, KEYS, SESSION_KEY } from './credentials.ts';
import type { BootstrapOptions } from './options.ts';
import { applySecondaries, secondarySecrets } from './secondaries.ts';
import { applyTrusts, issuerFor } from './trusts.ts';

const LOOK_AGAIN_MS = 1_000;

/** @throws Error that names the missing part, after the time limit */
export async function bootstrap(
  options: BootstrapOptions & { protection?: DatabaseProtection },
  context: BootstrapContext,
  signal: AbortSignal,
): Promise<void> {
  const { log } = context;
  const end = context.clock.now() + options.timeout * 1000;
  const texts = await retryUntil(context, end, signal, () => databaseSecret(options, context, signal));
  await sessionSecret(options, context, signal);
  const keyring = await retryUntil(context, end, signal, () => encryptionKeyring(options, context, signal));
  const authorities = (await keepCertificates(options, context, signal)).get(options.databaseCertificate ?? '');
  const keys = componentKeys(options);
  for (const key of keys) await secretOfKey(key, options, context, signal);
  const { secondaries, secondariesSecret, labels } = options;
  await secondarySecrets(secondaries ?? [], labels, context, signal);
  const protection = await prepareProtection(options, authorities);
  const url = await retryUntil(context, end, signal, () =>
    openDatabase({ ...options, protection }, texts, context, signal),
  );
  log.info('the database is up to date');
  for (const key of keys) await registerKey(key, url, options, context, signal);
  const { trusts, trustsOf: place, team } = options;
  // Before the trusts, which then get their rights on the zones at once.
  const means = { random: randomBytes, keyring };
  for (const zone of options.zones) {
    const state = await retryUntil(context, end, signal, () => ensureDeclaredZone(url, zone, means));
    log.info({ zone: zone.name, team: zone.team }, `the zone of the values is ${state}`);
  }
  if (trusts !== undefined) {
    const issuer = await retryUntil(context, end, signal, () => issuerFor(trusts, context, signal));
    await applyTrusts(url, trusts, { place, team, issuer }, log);
  }
  if (secondaries !== undefined && secondariesSecret !== undefined) {
    const apply = () => applySecondaries(url, secondaries, secondariesSecret, labels, context, signal);
    await retryUntil(context, end, signal, apply);
  }
}

/** Ensures the Secret with the logins of the built-in database. */
async function databaseSecret(
  { place, databaseSecret: name, givenSecret, labels }: BootstrapOptions,
  { api, namespace }: JobContext,
  signal: AbortSignal,
): Promise<SecretTexts> {
  if (place === undefined) return {};
  const given = givenSecret === undefined ? {} : await texts(api, { namespace, name: givenSecret }, signal);
  return changeSecret(
    api,
    { namespace, name },
    (found) => {
      const wanted = databaseTexts(place, found?.texts ?? {}, given, randomBytes);
      return holds(found, wanted) ? null : { texts: wanted, labels };
    },
    signal,
  );
}

/** All replicas of the api need the same session key, or a session would work at one of them only. */
async function sessionSecret(
  { sessionSecret: name, labels }: BootstrapOptions,
  { api, namespace }: JobContext,
  signal: AbortSignal,
): Promise<void> {
  if (name === undefined) return;
  const plan = (found: Secret | undefined) =>
    found?.texts[SESSION_KEY] ? null : { texts: { [SESSION_KEY]: randomBytes(32).toString('hex') }, labels };
  await changeSecret(api, { namespace, name }, plan, signal);
}

/**
 * The keys that encrypt private keys, which the api reads from the same Secret.
 * @throws Error if the Secret has no keys in the form of ZONESTEAD_ENCRYPTION_KEYS
 */
async function encryptionKeyring(
  { encryptionSecret, givenEncryptionSecret, labels }: BootstrapOptions,
  { api, namespace }: JobContext,
  signal: AbortSignal,
): Promise<Keyring> {
  const name = encryptionSecret ?? givenEncryptionSecret;
  if (name === undefined) return new Keyring([]);
  const plan = (found: Secret | undefined) =>
    found?.texts[ENCRYPTION_KEYS] ? null : { texts: { [ENCRYPTION_KEYS]: newKeyringKey() }, labels };
  const found =
    encryptionSecret === undefined
      ? await texts(api, { namespace, name }, signal)
      : await changeSecret(api, { namespace, name }, plan, signal);
  const keys = parseKeyringKeys(found[ENCRYPTION_KEYS] ?? '');
  if (typeof keys === 'string') throw new Error(`the key ${ENCRYPTION_KEYS} of Secret ${namespace}/${name} ${keys}`);
  return new Keyring(keys);
}

/** The authorities of the built-in Postgres are written to a file, where the driver reads them. */
async function prepareProtection(
  { protection = {} }: { protection?: DatabaseProtection },
  authorities: string | undefined,
): Promise<DatabaseProtection> {
  if (authorities === undefined) return protection;
  const file = join(await mkdtemp(join(tmpdir(), 'zonestead-database-')), 'ca.crt');
  await writeFile(file, authorities);
  return { ...protection, ZONESTEAD_DATABASE_CA: file };
}

/** Database, role and migrations. @returns the address for the api, with its protection */
async function openDatabase(
  { place, urlSecret, urlKey, protection }: BootstrapOptions & { protection: DatabaseProtection },
  made: SecretTexts,
  { api, namespace }: JobContext,
  signal: AbortSignal,
): Promise<string> {
  if (place !== undefined) {
    const service = { name: 'zonestead', password: made[KEYS.service] ?? '' };
    return prepareDatabase(protectedUrl(adminUrl(place, made), protection), place.database, { service });
  }
  const url = (await texts(api, { namespace, name: urlSecret }, signal))[urlKey];
  if (url === undefined) throw new Error(`Secret ${namespace}/${urlSecret} has no key ${urlKey}`);
  const address = protectedUrl(url.trim(), protection);
  await migrateDatabase(address);
  return address;
}

/** @throws Error that says what the address lacks, without its password */
function protectedUrl(url: string, protection: DatabaseProtection): string {
  const complete = protectedDatabaseUrl(url, protection);
  if (!complete.ok) throw new Error(`the address of the database ${complete.problem}`);
  return complete.value;
}

/** @throws Error if the Secret does not exist */
async function texts(api: KubeApi, at: { namespace: string; name: string }, signal: AbortSignal): Promise<SecretTexts> {
  const found = await readSecret(api, at, signal);
  if (found === undefined) throw new Error(`Secret ${at.namespace}/${at.name} does not exist`);
  return found.texts;
}

/**
 * Retries until the work succeeds, and logs each new cause of a failure once.
 * @throws Error with the last cause after the time limit
 */
async function retryUntil<T>(
  { clock, log }: JobContext,
  end: number,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  let told = '';
  for (;;) {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      const why = formatCause(error);
      if (clock.now() >= end) throw new Error(`timed out waiting: ${why}`, { cause: error });
      if (why !== told) log.warn(`waiting: ${why}`);
      told = why;
      await sleep(clock, LOOK_AGAIN_MS, signal);
    }
  }
}
