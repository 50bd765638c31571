// `zonestead release-finalizers`: stops the operator and removes its finalizers before an uninstall. Without an
// operator, no program could remove them later, and DNSZones and namespaces could not be deleted. Objects and DNS data
// stay unchanged. If the operator is installed again, it continues with the owners at the service.

import { z } from 'zod';
import { sleep } from '#base/wait.ts';
import { isConflict, isNotFound } from '#kube/api/errors.ts';
import type { KubeObject, ResourceType } from '#kube/objects/resource.ts';
import { DEPLOYMENT, STATEFUL_SET } from '#kube/objects/workloads.ts';
import { DNS_ZONE } from '#resources/dnszone.ts';
import { FINALIZER } from '#resources/names.ts';
import { parseOptions } from '../parse-options.ts';
import type { JobContext } from './context.ts';

/** In a small installation the operator is in the pod of the name server. */
const WORKLOADS: Readonly<Record<string, ResourceType>> = { deployment: DEPLOYMENT, statefulset: STATEFUL_SET };
const POD: ResourceType = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true };
const LOOK_AGAIN_MS = 1_000;
const ATTEMPTS = 5;

const schema = z.object({
  workload: z
    .string()
    .regex(/^(deployment|statefulset)\/.+$/, { error: 'must be deployment/<name> or statefulset/<name>' })
    .transform((text) => text.split('/') as [string, string]),
  pods: z.string().min(1),
  namespaces: z
    .string()
    .transform((text) => text.split(',').filter((name) => name !== ''))
    .optional(),
  timeout: z.coerce.number({ error: 'must be seconds' }).int().min(1),
});
type ReleaseOptions = z.output<typeof schema>;

/** @throws Error that names each wrong option */
export function releaseOptions(given: unknown): ReleaseOptions {
  return parseOptions(schema, given);
}

/**
 * Can be repeated.
 * @throws Error if the pods of the operator do not end in time, or an object changes again and again
 */
export async function releaseFinalizers(
  { workload, pods, namespaces, timeout }: ReleaseOptions,
  context: JobContext,
  signal: AbortSignal,
): Promise<void> {
  const { api, namespace, clock, log } = context;
  const [kind, name] = workload;
  try {
    await api.merge(
      WORKLOADS[kind] as ResourceType,
      { namespace, name },
      { spec: { replicas: 0 } },
      { subresource: 'scale' },
      signal,
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  // An operator that still runs would add the finalizers again.
  const end = clock.now() + timeout * 1000;
  while ((await api.list(POD, { namespace, labelSelector: pods }, signal)).items.length > 0) {
    if (clock.now() >= end) throw new Error(`pods of ${name} are still running after ${timeout} s`);
    await sleep(clock, LOOK_AGAIN_MS, signal);
  }
  let count = 0;
  for (const scope of namespaces ?? [undefined]) count += await releaseAll(scope, context, signal);
  log.info({ count }, 'finalizers removed from DNSZones');
}

async function releaseAll(namespace: string | undefined, { api }: JobContext, signal: AbortSignal): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    let released = 0;
    let changed = false;
    // The token of a page stays valid while objects are patched.
    for (let next: string | undefined = ''; next !== undefined; ) {
      const page: Awaited<ReturnType<typeof api.list>> = await api
        .list(DNS_ZONE, { namespace, limit: 500, ...(next === '' ? {} : { continue: next }) }, signal)
        .catch((error) => {
          // Without the CustomResourceDefinition there are no objects.
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
    if (attempt >= ATTEMPTS) throw new Error('DNSZones change while their finalizers are removed');
  }

  async function release({ metadata }: KubeObject): Promise<boolean> {
    const { name, namespace: where, resourceVersion, finalizers = [] } = metadata;
    const kept = finalizers.filter((each) => each !== FINALIZER);
    const patch = { metadata: { resourceVersion, finalizers: kept } };
    try {
      await api.merge(DNS_ZONE, { namespace: where, name }, patch, {}, signal);
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
