// The options of `up`, checked, with their defaults in one place.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { ENVTEST_ARCHIVES } from './parts/envtest.ts';

const port = z.coerce
  .number({ error: 'must be a port number' })
  .int({ error: 'must be a port number' })
  .min(1, { error: 'must be a port number from 1 to 65535' })
  .max(65_535, { error: 'must be a port number from 1 to 65535' })
  .optional();

const schema = z.object({
  /** Deletes the state of earlier runs. Absent: keeps it. */
  fresh: z.boolean().default(false),
  /** Leave out the example. (Default: apply it.) */
  empty: z.boolean().default(false),
  /** Hold keys to the write limits of the service. (Default: on.) */
  limits: z.enum(['on', 'off'], { error: 'must be on or off' }).default('on'),
  /** Also cert-manager, Pebble and the solver. (Default: false.) */
  certManager: z.boolean().default(false),
  /** Only the REST API, DNS and the console. (Default: false.) */
  withoutKubernetes: z.boolean().default(false),
  /** A cluster to use instead of a control plane of our own. (Default: KUBECONFIG, when it is set.) */
  kubeconfig: z
    .string()
    .transform((file) => resolve(file))
    .refine((file) => existsSync(file), { error: 'names no file' })
    .optional(),
  /**
   * The address of the archives of prebuilt Kubernetes programs; undefined: they are built. (Default:
   * controller-tools.)
   */
  prebuilt: z
    .string()
    .refine((text) => text === 'off' || /^https?:$/.test(URL.parse(text)?.protocol ?? ''), {
      error: 'must be the address (http or https) of a mirror, or off',
    })
    .default(ENVTEST_ARCHIVES)
    .transform((text) => (text === 'off' ? undefined : text)),
  /** Folder of the state. (Default: .local in the checkout.) */
  state: z
    .string()
    .min(1)
    .transform((folder) => resolve(folder))
    .optional(),
  /** (Default: a free port, the same one at the next `up`.) */
  apiPort: port,
  /** (Default: a free port, the same one at the next `up`.) */
  dnsPort: port,
  /** The number of name servers. (Default: 1.) */
  nodes: z.coerce
    .number({ error: 'must be a number from 1 to 4' })
    .int({ error: 'must be a number from 1 to 4' })
    .min(1, { error: 'must be a number from 1 to 4' })
    .max(4, { error: 'must be a number from 1 to 4' })
    .default(1),
});

export type UpOptions = z.output<typeof schema>;

/** @throws Error that names each wrong option */
export function readUpOptions(given: Record<string, unknown>, kubeconfig: string | undefined): UpOptions {
  const parsed = schema.safeParse({ ...(kubeconfig ? { kubeconfig } : {}), ...given });
  if (parsed.success) {
    if (parsed.data.withoutKubernetes && (parsed.data.certManager || given.kubeconfig !== undefined))
      throw new Error('--without-kubernetes excludes --cert-manager and --kubeconfig');
    return parsed.data;
  }
  const name = (path: PropertyKey[]) => String(path[0]).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw new Error(parsed.error.issues.map((issue) => `--${name(issue.path)} ${issue.message}`).join('; '));
}
