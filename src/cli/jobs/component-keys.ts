// The keys of the installation's own parts: the key of the name servers. Every step can be repeated, also by two Jobs
// at once:
//
//   the Secret has the key → the database knows it → the keys that it replaced expire
//
// A run that ends in between leaves a key that is not registered yet, or ids of replaced keys in an annotation of the
// Secret.
import { randomBytes } from 'node:crypto';
import type { KubeApi } from '#kube/api/api.ts';
import { changeSecret } from '#kube/objects/secrets.ts';
import { ensureInstallationNodeKey, expireInstallationNodeKey } from '#service/nodes/first-key.ts';
import type { Logger } from '#telemetry/log.ts';
import { type KeyKind, type KeyPlan, keyPlan, NODE_KEY, REPLACED, ROTATION } from './credentials.ts';
import type { BootstrapOptions } from './options.ts';

/** The kubelet updates the key files of running pods within about two minutes. */
const OLD_KEY_LASTS_MS = 60 * 60_000;
const ATTEMPTS = 3;

type KeyState = { state: 'known' | 'registered'; keyId: string } | { state: 'unusable'; why: string };

export interface ComponentKey {
  /** In a log line. */
  title: string;
  kind: KeyKind;
  /** The name of its Secret. */
  secret: string;
  register(url: string, text: string, now: Date): Promise<KeyState>;
  expire(url: string, id: string, end: Date, now: Date): Promise<void>;
}

/** The keys whose Secrets the Job creates. */
export function componentKeys({ nodeKeySecret }: BootstrapOptions): ComponentKey[] {
  const keys: ComponentKey[] = [];
  if (nodeKeySecret !== undefined) {
    keys.push({
      title: 'the key of the name servers',
      kind: NODE_KEY,
      secret: nodeKeySecret,
      register: (url, text, now) => ensureInstallationNodeKey(url, { name: nodeKeySecret, text }, now),
      expire: expireInstallationNodeKey,
    });
  }
  return keys;
}

interface Place {
  api: KubeApi;
  namespace: string;
}
type KeyOptions = Pick<BootstrapOptions, 'rotation' | 'labels'>;

/** Ensures the Secret of a key. @param unusable a text that can never become valid, so the Secret must not keep it */
export async function secretOfKey(
  { kind, secret: name }: ComponentKey,
  { rotation, labels }: KeyOptions,
  { api, namespace }: Place,
  signal: AbortSignal,
  unusable?: string,
): Promise<KeyPlan> {
  let plan: KeyPlan = { text: '', replaced: [] };
  await changeSecret(
    api,
    { namespace, name },
    (found) => {
      plan = keyPlan(kind, found, rotation, randomBytes, unusable);
      if (found?.texts[kind.field]?.trim() === plan.text) return null;
      const annotations = {
        ...(rotation === '' ? {} : { [ROTATION]: rotation }),
        ...(plan.replaced.length === 0 ? {} : { [REPLACED]: plan.replaced.join(',') }),
      };
      return { texts: { [kind.field]: plan.text }, annotations, labels };
    },
    signal,
  );
  return plan;
}

/**
 * Registers the key of the Secret, and lets the keys that it replaced expire.
 * @throws Error if the Secret keeps unusable keys
 */
export async function registerKey(
  key: ComponentKey,
  url: string,
  options: KeyOptions,
  context: Place & { log: Logger },
  signal: AbortSignal,
): Promise<void> {
  const { log } = context;
  let unusable: { text: string; why: string } | undefined;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const { text, replaced } = await secretOfKey(key, options, context, signal, unusable?.text);
    const now = new Date();
    const known = await key.register(url, text, now);
    if (known.state !== 'unusable') {
      log.info({ keyId: known.keyId }, `${key.title} is ${known.state}`);
      const end = new Date(now.getTime() + OLD_KEY_LASTS_MS);
      for (const id of replaced) await key.expire(url, id, end, now);
      return;
    }
    log.warn({ why: known.why }, `${key.title} cannot be used; it is replaced`);
    unusable = { text, why: known.why };
  }
  throw new Error(`Secret ${context.namespace}/${key.secret} has no usable key: ${unusable?.why}`);
}
