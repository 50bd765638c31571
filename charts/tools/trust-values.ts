// The values of trusts. Pure.
import { z } from 'zod';
import { networks, open, values } from './common-values.ts';

const level = z.enum(['none', 'read', 'write']).meta({ id: 'level' });

/** The command `bootstrap` and the service check the fields further. */
const trust = values({
  name: z.string().min(1).max(64),
  team: z.string().min(1).max(64),
  issuer: z.string().regex(/^(https?|spiffe):\/\/.+$/),
  audience: z.string().min(1),
  keySource: open,
  ca: z.string(),
  privateAddresses: z.boolean(),
  match: open,
  zones: z.array(z.string().min(1)),
  records: level,
  manageZones: level,
  clusters: z.enum(['none', 'write']),
  onlyNames: z.array(z.string().min(1)),
  onlyTypes: z.array(z.string().min(1)),
  networks,
  zoneWrites: z.int().min(0),
  recordWrites: z.int().min(0),
  maxTokenAge: z.int().min(1),
  pinSubjects: z.boolean(),
});

export const trusts = values({
  ownCluster: values({ enabled: z.boolean(), audience: z.string().regex(/^[!-~]+$/) }),
  list: z.array(trust),
});
