// The webhook provider protocol of external-dns (version 1), as its Go types write it in JSON.
import { z } from 'zod';

export const MEDIA_TYPE = 'application/external.dns.webhook+json;version=1';

/** Unknown fields are returned unchanged. */
export const endpoint = z.looseObject({
  dnsName: z.string(),
  targets: z
    .array(z.string())
    .nullish()
    .transform((targets) => targets ?? []),
  recordType: z.string(),
  setIdentifier: z.string().optional(),
  /** Seconds; 0 or absent: not set. */
  recordTTL: z.number().int().optional(),
  labels: z.record(z.string(), z.string()).nullish(),
  providerSpecific: z.array(z.object({ name: z.string(), value: z.string().optional() })).nullish(),
});

const endpoints = z
  .array(endpoint)
  .nullish()
  .transform((list) => list ?? []);

export const endpointList = endpoints;

/** `updateOld` and `updateNew` go in pairs. */
export const changesBody = z.object({
  create: endpoints,
  updateOld: endpoints,
  updateNew: endpoints,
  delete: endpoints,
});

export type DnsEndpoint = z.infer<typeof endpoint>;
export type Changes = z.infer<typeof changesBody>;
