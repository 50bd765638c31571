// The schema of the values that a profile sets, unless the user does.
import { z } from 'zod';
import { elsewhere, list, values } from './common-values.ts';

/** The requirements of profile production. */
export const PRODUCTION_NEEDS = [
  'database',
  'backups',
  'replicas',
  'budgets',
  'volumes',
  'tls',
  'networkPolicies',
  'monitoring',
  'nameservers',
] as const;

/** Null leaves the choice to the profile. */
export const byProfile = z.union([z.boolean(), z.null()]).meta({ id: 'byProfile' });

/** An object by which the Prometheus Operator scrapes. */
const monitor = elsewhere({
  enabled: byProfile,
  interval: z.string().regex(/^[0-9]+(ms|s|m|h)$/),
  scrapeTimeout: z.string().regex(/^([0-9]+(ms|s|m|h))?$/),
  relabelings: list,
  metricRelabelings: list,
}).meta({ id: 'monitor' });

export const monitoring = values({
  serviceMonitor: monitor,
  podMonitor: monitor,
  prometheusRule: elsewhere({ enabled: byProfile, runbookUrl: z.string() }),
  dashboard: elsewhere({ enabled: byProfile }),
});
