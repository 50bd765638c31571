// Fields that both kinds have: time to live, policies, references, conditions. It must not know either kind.
import { z } from 'zod';
import { MAX_TTL, MIN_TTL } from '../../dns/record.ts';
import { withRules } from './rules.ts';

export const GROUP = 'zonestead.dev';
export const VERSION = 'v1alpha1';
export const API_VERSION = `${GROUP}/${VERSION}`;

export const ttl = z.int().min(MIN_TTL).max(MAX_TTL);

export const deletionPolicy = z
  .enum(['Delete', 'Retain'])
  .default('Delete')
  .meta({ description: 'What happens at the DNS service when this object is deleted: Delete removes, Retain leaves.' });

export const driftPolicy = z.enum(['Enforce', 'Report', 'Ignore']);

export const DRIFT_DESCRIPTION =
  'What to do when somebody else changed at the DNS service what this object owns: Enforce repairs it, Report tells it ' +
  'in an Event, Ignore does not look.';

// Kubernetes' own rules for names (RFC 1123 subdomain and label), so that a wrong reference is refused at apply.
export const objectName = z
  .string()
  .min(1)
  .max(253)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);

export const namespaceName = z
  .string()
  .min(1)
  .max(63)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);

const labelValue = z.string().max(63);

/** metav1.LabelSelector with bounds. */
export const labelSelector = z
  .object({
    matchLabels: z
      .record(z.string(), labelValue)
      .optional()
      .meta({ description: 'Labels that must all be there with these values.', maxProperties: 64 }),
    matchExpressions: z
      .array(
        withRules(
          z.object({
            key: z.string().min(1).max(317).meta({ description: 'Label key.' }),
            operator: z
              .enum(['In', 'NotIn', 'Exists', 'DoesNotExist'])
              .meta({ description: 'How values are compared.' }),
            values: z.array(labelValue).max(64).optional().meta({
              description: 'Needed for In and NotIn, forbidden otherwise.',
              'x-kubernetes-list-type': 'atomic',
            }),
          }),
          [
            {
              // As for every label selector of Kubernetes (apimachinery, ValidateLabelSelectorRequirement): NotIn with
              // nothing to be not in would open a grant to everybody.
              rule: "(self.operator in ['In', 'NotIn']) == (has(self.values) && self.values.size() > 0)",
              message: 'set values together with operator In or NotIn, and only then',
              fieldPath: '.values',
              holds: ({ operator, values = [] }) => ['In', 'NotIn'].includes(operator) === values.length > 0,
            },
          ],
        ),
      )
      .max(64)
      .optional()
      .meta({ description: 'Requirements that must all hold.', 'x-kubernetes-list-type': 'atomic' }),
  })
  .meta({ 'x-kubernetes-map-type': 'atomic' });

export const moment = z.string().max(64).meta({ format: 'date-time' });

/** metav1.Condition, bounds included. */
const condition = z.object({
  type: z.string().min(1).max(64).meta({ description: 'What is asked.' }),
  status: z.enum(['True', 'False', 'Unknown']).meta({ description: 'The answer.' }),
  observedGeneration: z.int().min(0).optional().meta({ description: 'The generation that the answer is about.' }),
  lastTransitionTime: moment.meta({ description: 'When the status changed last.' }),
  reason: z
    .string()
    .min(1)
    .max(128)
    .regex(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/)
    .meta({ description: 'Why, in one stable CamelCase word.' }),
  message: z.string().max(4096).meta({ description: 'Why, for people, and how to mend it.' }),
});

export type Condition = z.infer<typeof condition>;

/**
 * Conditions that exist, as Unknown, from the moment the object is created: whoever waits for one never takes its absence
 * for an answer. The API server fills them in as the default of the schema.
 */
export function conditionsBornUnknown(types: readonly string[]) {
  const born: Condition[] = types.map((type) => ({
    type,
    status: 'Unknown',
    lastTransitionTime: '1970-01-01T00:00:00Z',
    reason: 'Pending',
    message: 'Waiting for the operator',
  }));
  return z
    .array(condition)
    .max(16)
    .default(born)
    .meta({
      description: `The state of this object: ${types.join(', ')}.`,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    });
}
