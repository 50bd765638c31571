// The schema of the values of the database.
import { z } from 'zod';
import { image, list, name, open, persistence, quantity, statefulSet, values } from './common-values.ts';

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
    maxConnections: z.int().min(0).max(100_000),
    failsOver: z.boolean(),
    existingSecret: name,
    secretKeys: values({ uri: z.string().min(1) }),
    tls: values({ caSecret: name, caKey: z.string().min(1), unverified: z.enum(['refuse', 'allow']) }),
  }),
  cnpg: values({
    operatorInstalled: z.boolean(),
    clusterName: z.string(),
    instances: z.int().min(1),
    storage: values({ size: quantity, storageClassName: z.string() }),
    imageName: z.string(),
    bootstrap: values({ initdb: open, recovery: open, pg_basebackup: open }),
    dataChecksums: z.boolean(),
    synchronous: z.enum(['required', 'preferred', 'never']),
    plugins: list,
    externalClusters: list,
    scheduledBackup: values({
      enabled: z.boolean(),
      // Six fields: CloudNativePG takes seconds first, and reads the five fields of a CronJob as something else.
      schedule: z.string().regex(/^(@\S+( \S+)?|\S+( \S+){5})$/),
      immediate: z.boolean(),
      plugin: name,
    }),
    extraSpec: open,
  }),
});
