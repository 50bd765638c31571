// Fields that both kinds have: time to live, policies, references and conditions.
import { z } from 'zod';
import { MAX_TTL, MIN_TTL } from '#dns/record.ts';
import { RECORD_TYPES, type RecordType, TYPES_IN_WORDS } from '#dns/types/record-type.ts';
import type { Condition } from '#kube/objects/conditions.ts';
import { together, withRules } from './rules.ts';
import { matchInCel, NAMESPACE_NAME, OBJECT_NAME, RECORD_TYPE } from './syntax.ts';

export const GROUP = 'zonestead.dev';
export const VERSION = 'v1alpha1';
export const API_VERSION = `${GROUP}/${VERSION}`;

/** Characters. */
export const MAX_TYPE = Math.max(...RECORD_TYPES.map(({ length }) => length));

/**
 * The type of a record. The length limits the cost that the API server estimates for rules that read it; the names of
 * the list are shorter.
 */
export const recordTypeField = withRules(z.string().max(MAX_TYPE), [
  {
    rule: matchInCel('self', RECORD_TYPE),
    message: `must be one of ${TYPES_IN_WORDS}`,
    holds: (self) => new RegExp(RECORD_TYPE).test(self),
  },
]) as unknown as z.ZodType<RecordType, RecordType>;

export const ttlField = z.int().min(MIN_TTL).max(MAX_TTL);

export const deletionPolicy = z.enum(['Delete', 'Retain']).default('Delete').meta({
  description:
    'How to treat the data at the DNS service when this object is deleted. Delete removes the data. Retain keeps it.',
});

export const whenClusterLost = z.enum(['Keep', 'Withdraw']);

export const LOST_DESCRIPTION =
  'How to treat the values while the DNS service has had no heartbeat of this cluster for 60 seconds. Keep serves them. ' +
  'Withdraw serves them only if no other record is at their name and type.';

export const driftPolicy = z.enum(['Enforce', 'Report', 'Ignore']);

export const DRIFT_DESCRIPTION =
  'How to handle changes that others make directly at the DNS service to data that this object owns. Enforce reverts ' +
  'them and emits a Warning Event. Report only emits the Event. Ignore does not check.';

// Kubernetes' own rules for names (RFC 1123 subdomain and label), so that the API server refuses a wrong reference.
// They are rules in place of patterns, because the API server would print the whole pattern.
const MAX_OBJECT_NAME = 253;
const MAX_NAMESPACE_NAME = 63;
const OBJECT_NAME_WORDS =
  'must be the name of an object, such as example or example.org: lower-case letters, digits, "-" and ".", with a letter or digit ' +
  'at both ends of each part';

export const objectName = withRules(z.string().min(1).max(MAX_OBJECT_NAME), [
  {
    rule: matchInCel('self', OBJECT_NAME),
    message: OBJECT_NAME_WORDS,
    holds: (self) => new RegExp(OBJECT_NAME).test(self),
  },
]);

/** The name and the optional namespace of an object. One expression checks both, see rules.ts. */
export function reference(words: { name: string; namespace: string }) {
  const name = z.string().min(1).max(MAX_OBJECT_NAME).meta({ description: words.name });
  const namespace = z.string().min(1).max(MAX_NAMESPACE_NAME).optional().meta({ description: words.namespace });
  return withRules(z.object({ name, namespace }), [
    together<{ name: string; namespace?: string | undefined }>(null, [
      {
        rule: matchInCel('self.name', OBJECT_NAME),
        message: `name ${OBJECT_NAME_WORDS}`,
        holds: (self) => new RegExp(OBJECT_NAME).test(self.name),
      },
      {
        // `namespace` is a reserved word of CEL, which the API server escapes.
        rule: `!has(self.__namespace__) || ${matchInCel('self.__namespace__', NAMESPACE_NAME)}`,
        message: 'namespace must be the name of a namespace: lower-case letters and digits, and "-" between them',
        holds: (self) => self.namespace === undefined || new RegExp(NAMESPACE_NAME).test(self.namespace),
      },
    ]),
  ]);
}

const labelValue = z.string().max(63);

/** A metav1.LabelSelector with bounds. */
export const labelSelector = z
  .object({
    matchLabels: z
      .record(z.string(), labelValue)
      .optional()
      .meta({ description: 'The namespace must have all of these labels with these values.', maxProperties: 64 }),
    matchExpressions: z
      .array(
        withRules(
          z.object({
            key: z.string().min(1).max(317).meta({ description: 'The label key that the requirement applies to.' }),
            operator: z
              .enum(['In', 'NotIn', 'Exists', 'DoesNotExist'])
              .meta({ description: 'How the label of the namespace relates to the values.' }),
            values: z.array(labelValue).max(64).optional().meta({
              description: 'Required for the operators In and NotIn. Not accepted for Exists and DoesNotExist.',
              'x-kubernetes-list-type': 'atomic',
            }),
          }),
          [
            {
              // Every label selector of Kubernetes has this rule (apimachinery, ValidateLabelSelectorRequirement).
              // NotIn without values would open a grant to every namespace.
              rule: "(self.operator in ['In', 'NotIn']) == (has(self.values) && self.values.size() > 0)",
              message: 'set values with the operators In and NotIn, and omit values with Exists and DoesNotExist',
              fieldPath: '.values',
              holds: ({ operator, values = [] }) => ['In', 'NotIn'].includes(operator) === values.length > 0,
            },
          ],
        ),
      )
      .max(64)
      .optional()
      .meta({
        description: 'The labels of the namespace must meet all of these requirements.',
        'x-kubernetes-list-type': 'atomic',
      }),
  })
  .meta({ 'x-kubernetes-map-type': 'atomic' });

export const momentField = z.string().max(64).meta({ format: 'date-time' });

/** A metav1.Condition with its bounds. */
const condition = z.object({
  type: z.string().min(1).max(64).meta({ description: 'Type of the condition, for example Ready.' }),
  status: z
    .enum(['True', 'False', 'Unknown'])
    .meta({ description: 'Status of the condition: True, False or Unknown.' }),
  observedGeneration: z
    .int()
    .min(0)
    .optional()
    .meta({ description: 'The metadata.generation of the object that the condition was set for.' }),
  lastTransitionTime: momentField.meta({ description: 'The last time that the status of the condition changed.' }),
  reason: z
    .string()
    .min(1)
    .max(128)
    .regex(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/)
    .meta({ description: 'A CamelCase word for the cause of the status. Programs may rely on it.' }),
  message: z.string().max(4096).meta({
    description: 'An explanation for people: the cause of the status, and the next step of the operator or of you.',
  }),
});

/** The time of a condition that nothing has decided yet: the schema cannot know when an object was created. */
export const UNDECIDED_SINCE = '1970-01-01T00:00:00Z';

/**
 * Conditions that exist with the status Unknown as soon as the object is created, so that no client mistakes an absent
 * condition for a result. The API server fills them in as the default of the schema.
 */
export function conditionsInitiallyUnknown(types: readonly string[]) {
  const initial: Condition[] = types.map((type) => ({
    type,
    status: 'Unknown',
    lastTransitionTime: UNDECIDED_SINCE,
    reason: 'Pending',
    message: 'The operator has not processed this object yet.',
  }));
  return z
    .array(condition)
    .max(16)
    .default(initial)
    .meta({
      description: `The conditions of this object: ${types.join(', ')}. Wait for Ready to be True.`,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    });
}
