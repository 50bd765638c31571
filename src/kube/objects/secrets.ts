// Reads and writes single Secrets by name, as plain text. Nothing here lists or watches Secrets.
import type { KubeApi } from '../api/api.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../api/errors.ts';
import type { KubeObject, ObjectName, ResourceType } from './resource.ts';

export const SECRET: ResourceType = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true };

export type SecretTexts = Readonly<Record<string, string>>;

export interface Secret {
  readonly texts: SecretTexts;
  readonly annotations: Readonly<Record<string, string>>;
  readonly resourceVersion: string;
}

export interface SecretObject extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** The values that a Secret gets; `null`: no change. */
export type SecretChange = {
  readonly texts: SecretTexts;
  readonly annotations?: Readonly<Record<string, string>>;
  /** The type of a new Secret; it is immutable. (Default: Opaque.) */
  readonly type?: string;
  readonly labels?: Readonly<Record<string, string>>;
} | null;

/** @returns undefined when there is none */
export async function readSecret(api: KubeApi, at: ObjectName, signal: AbortSignal): Promise<Secret | undefined> {
  try {
    const { data = {}, metadata } = await api.get<SecretObject>(SECRET, at, signal);
    const texts = Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]);
    return {
      texts: Object.fromEntries(texts),
      annotations: metadata.annotations ?? {},
      resourceVersion: metadata.resourceVersion ?? '',
    };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

const ATTEMPTS = 5;

/**
 * Changes a Secret as `plan` says. If several processes write it at the same time, one succeeds and the others plan
 * again with its result. Keys that the plan does not name stay.
 * @throws KubeError, also when other writers keep changing the Secret
 */
export async function changeSecret(
  api: KubeApi,
  at: ObjectName,
  plan: (found: Secret | undefined) => SecretChange | Promise<SecretChange>,
  signal: AbortSignal,
): Promise<SecretTexts> {
  for (let attempt = 1; ; attempt++) {
    const storedSecret = await readSecret(api, at, signal);
    const change = await plan(storedSecret);
    if (change === null) return storedSecret?.texts ?? {};
    const { texts, annotations = {}, type = 'Opaque', labels = {} } = change;
    try {
      if (storedSecret === undefined) {
        const draft = { metadata: { ...at, labels, annotations }, type, data: encoded(texts) };
        await api.create<SecretObject & { type: string }>(SECRET, draft, signal);
      } else {
        const { resourceVersion } = storedSecret;
        await api.merge(SECRET, at, { metadata: { resourceVersion, annotations }, data: encoded(texts) }, {}, signal);
      }
      return { ...storedSecret?.texts, ...texts };
    } catch (error) {
      if (attempt >= ATTEMPTS || !(isAlreadyExists(error) || isConflict(error) || isNotFound(error))) throw error;
    }
  }
}

function encoded(texts: SecretTexts): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));
}
