// `zonestead release-finalizers`: before an installation goes, its operator stops and its finalizers come off, because nobody
// would be there to take them off when an object, or its namespace, is deleted later. Objects and DNS data stay as they are;
// an operator that comes back takes the objects on again by the ledger in their status.
import { z } from 'zod';
import { sleep } from '../../kube/clock.ts';
import { isConflict, isNotFound } from '../../kube/errors.ts';
import type { KubeObject, ResourceType } from '../../kube/resource.ts';
import { DNS_RECORD } from '../../operator/resources/dnsrecord.ts';
import { DNS_ZONE } from '../../operator/resources/dnszone.ts';
import { parseOptions } from '../keys.ts';
import type { Surroundings } from './bootstrap.ts';

const DEPLOYMENT: ResourceType = {
  group: 'apps',
  version: 'v1',
  plural: 'deployments',
  kind: 'Deployment',
  namespaced: true,
};
const POD: ResourceType = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true };
/** As operator/names.ts has it, which is not for this room. */
const FINALIZER = 'zonestead.dev/dns';
const LOOK_AGAIN_MS = 1_000;
const ATTEMPTS = 5;

const schema = z.object({
  deployment: z.string().min(1),
  pods: z.string().min(1),
  namespaces: z
    .string()
    .transform((text) => text.split(',').filter((name) => name !== ''))
    .optional(),
  timeout: z.coerce.number({ error: 'must be seconds' }).int().min(1),
});
export type ReleaseOptions = z.output<typeof schema>;

/** @throws with each wrong option by name */
export function releaseOptions(given: unknown): ReleaseOptions {
  return parseOptions(schema, given);
}

/** May be repeated. @throws when the operator's pods do not end in time, or an object keeps changing */
export async function releaseFinalizers(
  { deployment, pods, namespaces, timeout }: ReleaseOptions,
  around: Surroundings,
  signal: AbortSignal,
): Promise<void> {
  const { api, namespace, clock, log } = around;
  try {
    await api.merge(
      DEPLOYMENT,
      { namespace, name: deployment },
      { spec: { replicas: 0 } },
      { subresource: 'scale' },
      signal,
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  // One that still runs would put them on again.
  const end = clock.now() + timeout * 1000;
  while ((await api.list(POD, { namespace, labelSelector: pods }, signal)).items.length > 0) {
    if (clock.now() >= end) throw new Error(`pods of ${deployment} still run after ${timeout} s`);
    await sleep(clock, LOOK_AGAIN_MS, signal);
  }
  for (const type of [DNS_RECORD, DNS_ZONE]) {
    let count = 0;
    for (const scope of namespaces ?? [undefined]) count += await releaseAll(type, scope, around, signal);
    log.info({ count }, `finalizers taken off ${type.plural}`);
  }
}

async function releaseAll(
  type: ResourceType,
  namespace: string | undefined,
  { api }: Surroundings,
  signal: AbortSignal,
): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    let released = 0;
    let changed = false;
    // A page's token outlives what is patched meanwhile.
    for (let next: string | undefined = ''; next !== undefined; ) {
      const page: Awaited<ReturnType<typeof api.list>> = await api
        .list(type, { namespace, limit: 500, ...(next === '' ? {} : { continue: next }) }, signal)
        .catch((error) => {
          // The kind itself is gone: nothing is left to release.
          if (isNotFound(error)) return { items: [], resourceVersion: '' };
          throw error;
        });
      for (const object of page.items.filter(isHeld)) {
        if (await release(object)) released += 1;
        else changed = true;
      }
      next = page.continue;
    }
    if (!changed) return released;
    if (attempt >= ATTEMPTS) throw new Error(`${type.plural} keep changing while their finalizers are taken off`);
  }

  async function release({ metadata }: KubeObject): Promise<boolean> {
    const { name, namespace: where, resourceVersion, finalizers = [] } = metadata;
    const kept = finalizers.filter((each) => each !== FINALIZER);
    const patch = { metadata: { resourceVersion, finalizers: kept } };
    try {
      await api.merge(type, { namespace: where, name }, patch, {}, signal);
      return true;
    } catch (error) {
      if (isNotFound(error)) return true;
      if (isConflict(error)) return false;
      throw error;
    }
  }
}

function isHeld({ metadata }: KubeObject): boolean {
  return metadata.finalizers?.includes(FINALIZER) ?? false;
}
