// The values of secondaries, and of the edges, which are one. Pure.
import { z } from 'zod';
import { MAX_PINS } from '#dns/secondaries/pin.ts';
import { name, networks, values } from './common-values.ts';

export const hostName = z
  .string()
  .regex(/^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.?$/)
  .meta({ id: 'hostName' });

const tsigAlgorithm = z.enum(['hmac-sha256', 'hmac-sha384', 'hmac-sha512']).meta({ id: 'tsigAlgorithm' });
export const secondaryName = z.string().regex(/^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/);
const tsigName = z.string().regex(/^([a-z0-9_-]+(\.[a-z0-9_-]+)*)?$/);
export const tsig = values({
  existingSecret: name,
  key: z.string().min(1),
  name: tsigName,
  algorithm: tsigAlgorithm,
}).meta({
  id: 'tsig',
});
/** The command `bootstrap` and the edge check them further. */
export const pins = z
  .array(z.string().regex(/^[A-Za-z0-9+/]{43}=$/))
  .max(MAX_PINS)
  .meta({ id: 'pins' });

export const secondaries = z.array(
  values({
    name: secondaryName,
    addresses: z.array(z.string().regex(/^(\[[0-9a-fA-F:.]+(%[^\]]*)?\](:[0-9]{1,5})?|[0-9.]+(:[0-9]{1,5})?)$/)).min(1),
    transfersFrom: networks,
    nameservers: z.array(hostName),
    allZones: z.boolean(),
    zones: z.array(z.string().min(1)),
    catalog: z.boolean(),
    notify: z.boolean(),
    requireTls: z.boolean(),
    pins,
    offerTo: values({ all: z.boolean(), teams: z.array(z.string()), namespaces: z.array(z.string()) }),
    tsig,
  }),
);
