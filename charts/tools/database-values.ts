// The schema of the values of the database.
import { z } from 'zod';
import { image, name, open, persistence, quantity, statefulSet, values } from './common-values.ts';

export const database = values({
  mode: z.enum(['builtin', 'external', 'cnpg']),
  name: z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/),
  builtin: statefulSet({
    image,
    existingSecret: name,
    maxConnections: z.int().min(10).max(10_000),
    persistence,
  }),
  external: values({
    existingSecret: name,
    secretKeys: values({ uri: z.string().min(1) }),
    tls: values({ caSecret: name, caKey: z.string().min(1), unverified: z.enum(['refuse', 'allow']) }),
  }),
  cnpg: values({
    operatorInstalled: z.boolean(),
    instances: z.int().min(1),
    storage: values({ size: quantity, storageClassName: z.string() }),
    imageName: z.string(),
    extraSpec: open,
  }),
});
