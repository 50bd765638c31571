// `zonestead bootstrap`: brings an installation in a cluster to where every other process can start: Secrets, database, roles,
// migrations, the first team, the operator's API key. Everything may be repeated, also by two at once; what is there stays.
//
//   Secrets (other pods wait for them, and they need no database) → database and migrations → the key is made known
//
// What is missing meanwhile is said in one line, and looked for again until the time is over.
import { randomBytes } from 'node:crypto';
import type { KubeApi } from '../../kube/api.ts';
import { type Clock, sleep } from '../../kube/clock.ts';
import { changeSecret, readSecret, type Secret, type SecretTexts } from '../../kube/secrets.ts';
import type { Logger } from '../../telemetry/log.ts';
import { migrateDatabase, prepareDatabase } from '../../zones/bootstrap.ts';
import { endHouseKey, ensureHouseKey } from '../../zones/first-key.ts';
import {
  API_KEY,
  adminUrl,
  databaseTexts,
  holds,
  KEYS,
  type KeyPlan,
  keyPlan,
  REPLACED,
  ROTATION,
  SESSION_KEY,
} from './credentials.ts';
import type { BootstrapOptions } from './options.ts';

export interface Surroundings {
  api: KubeApi;
  namespace: string;
  clock: Clock;
  log: Logger;
}

const LOOK_AGAIN_MS = 1_000;
/** kubelet brings a new key to running operators within about two minutes. */
const OLD_KEY_LASTS_MS = 60 * 60_000;

/** @throws with what is missing when the time is over */
export async function bootstrap(options: BootstrapOptions, around: Surroundings, signal: AbortSignal): Promise<void> {
  const { log } = around;
  const end = around.clock.now() + options.timeout * 1000;
  const texts = await patiently(around, end, signal, () => databaseSecret(options, around, signal));
  await sessionSecret(options, around, signal);
  const { text, replaced } =
    options.keySecret === undefined
      ? { text: undefined, replaced: undefined }
      : await keySecret(options, around, signal);
  const url = await patiently(around, end, signal, () => openDatabase(options, texts, around, signal));
  log.info('the database is up to date');
  if (text !== undefined) await makeKnown(options, text, replaced, url, around, signal);
}

/** Ensures the Secret with the logins, where it is ours to make. */
async function databaseSecret(
  { place, databaseSecret: name, givenSecret, labels }: BootstrapOptions,
  { api, namespace }: Surroundings,
  signal: AbortSignal,
): Promise<SecretTexts> {
  if (place === undefined) return {};
  const given = givenSecret === undefined ? {} : await texts(api, { namespace, name: givenSecret }, signal);
  return changeSecret(
    api,
    { namespace, name },
    (found) => {
      const wanted = databaseTexts(place, found?.texts ?? {}, given, randomBytes);
      return holds(found, wanted) ? null : { texts: wanted, labels, type: 'kubernetes.io/basic-auth' };
    },
    signal,
  );
}

async function keySecret(
  { keySecret: name = '', rotation, labels }: BootstrapOptions,
  { api, namespace }: Surroundings,
  signal: AbortSignal,
): Promise<KeyPlan> {
  let plan: KeyPlan = { text: '' };
  await changeSecret(
    api,
    { namespace, name },
    (found) => {
      plan = keyPlan(found, rotation, randomBytes);
      if (found?.texts[API_KEY]?.trim() === plan.text) return null;
      const { text, replaced } = plan;
      const annotations = {
        ...(rotation === '' ? {} : { [ROTATION]: rotation }),
        ...(replaced === undefined ? {} : { [REPLACED]: replaced }),
      };
      return { texts: { [API_KEY]: text }, annotations, labels };
    },
    signal,
  );
  return plan;
}

/** One for all replicas of the api, or a person would be signed in at one of them only. */
async function sessionSecret(
  { sessionSecret: name, labels }: BootstrapOptions,
  { api, namespace }: Surroundings,
  signal: AbortSignal,
): Promise<void> {
  if (name === undefined) return;
  const plan = (found: Secret | undefined) =>
    found?.texts[SESSION_KEY] ? null : { texts: { [SESSION_KEY]: randomBytes(32).toString('hex') }, labels };
  await changeSecret(api, { namespace, name }, plan, signal);
}

/** Database, roles and migrations. @returns the address for the api */
async function openDatabase(
  { place, urlSecret, urlKey }: BootstrapOptions,
  made: SecretTexts,
  { api, namespace }: Surroundings,
  signal: AbortSignal,
): Promise<string> {
  if (place?.mode === 'builtin') {
    const service = { name: 'zonestead', password: made[KEYS.service] ?? '' };
    return prepareDatabase(adminUrl(place, made), place.database, {
      service,
      nameserverPassword: made[KEYS.nameserver] ?? '',
    });
  }
  const url = (await texts(api, { namespace, name: urlSecret }, signal))[urlKey];
  if (url === undefined) throw new Error(`Secret ${namespace}/${urlSecret} has no key ${urlKey}`);
  await migrateDatabase(url.trim());
  return url.trim();
}

async function makeKnown(
  options: BootstrapOptions,
  text: string,
  replaced: string | undefined,
  url: string,
  around: Surroundings,
  signal: AbortSignal,
): Promise<void> {
  const { log, api, namespace } = around;
  const { team, keySecret: name = '' } = options;
  const key = { team, name: `operator (${namespace}/${name})`, text };
  const known = await ensureHouseKey(url, key, randomBytes, new Date());
  if (known.state !== 'unusable') {
    log.info({ keyId: known.keyId, team, teamId: known.teamId }, `the operator's API key is ${known.state}`);
    const now = new Date();
    if (replaced !== undefined) await endHouseKey(url, replaced, new Date(now.getTime() + OLD_KEY_LASTS_MS), now);
    return;
  }
  log.warn({ why: known.why }, "the operator's API key cannot be used; it gets a new one");
  const next = keyPlan(undefined, '', randomBytes).text;
  await ensureHouseKey(url, { ...key, text: next }, randomBytes, new Date());
  await changeSecret(api, { namespace, name }, () => ({ texts: { [API_KEY]: next } }), signal);
}

/** @throws when there is none */
async function texts(api: KubeApi, at: { namespace: string; name: string }, signal: AbortSignal): Promise<SecretTexts> {
  const found = await readSecret(api, at, signal);
  if (found === undefined) throw new Error(`Secret ${at.namespace}/${at.name} does not exist`);
  return found.texts;
}

/** Again and again until it works; each cause of waiting is told once. @throws the last cause when the time is over */
async function patiently<T>(
  { clock, log }: Surroundings,
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
      const why = reason(error);
      if (clock.now() >= end) throw new Error(`gave up waiting: ${why}`, { cause: error });
      if (why !== told) log.warn(`waiting: ${why}`);
      told = why;
      await sleep(clock, LOOK_AGAIN_MS, signal);
    }
  }
}

/** Of a failed statement the driver's own words, which stand below drizzle's. */
function reason(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (!(at.cause instanceof Error)) return at.message || String((at as NodeJS.ErrnoException).code ?? at.name);
  }
  return String(error);
}
