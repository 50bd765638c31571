// spec.healthFrom of a DNSRecord: the Service whose ready endpoints decide whether its addresses work.
import { z } from 'zod';
import { withRules } from './rules.ts';
import { matchInCel, NAMESPACE_NAME } from './syntax.ts';

const MAX_SERVICE_NAME = 63;
const MAX_PORT_NAME = 63;

const port = z
  .union([
    z.int().min(1).max(65_535),
    z
      .string()
      .min(1)
      .max(MAX_PORT_NAME)
      .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/),
  ])
  .meta({
    description:
      'Only endpoints with this port count: the name of a port of the Service, or the number of the port at the pods. ' +
      'If omitted, every endpoint counts.',
    'x-kubernetes-int-or-string': true,
  });

const name = withRules(z.string().min(1).max(MAX_SERVICE_NAME), [
  {
    rule: matchInCel('self', NAMESPACE_NAME),
    message: 'must be the name of a Service: lower-case letters, digits and "-", with a letter or digit at both ends',
    holds: (self) => new RegExp(NAMESPACE_NAME).test(self),
  },
]).meta({ description: "The name of a Service in the record's own namespace." });

const serviceRef = z.object({ name, port: port.optional() });
export type ServiceRef = z.infer<typeof serviceRef>;

export const healthFrom = z.object({
  serviceRef: serviceRef.meta({ description: 'The Service whose endpoints the operator watches.' }),
});

/** The Service as messages and the status write it: `web`, or `web:https` with a port. */
export function writeServiceRef({ name: service, port: own }: ServiceRef): string {
  return own === undefined ? service : `${service}:${own}`;
}
