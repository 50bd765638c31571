// DNSRecord: what a user says about one RRset and what the operator answers. It must not know how either is acted upon.
import { z } from 'zod';
import { RECORD_TYPES } from '../../dns/types/record-type.ts';
import type { KubeObject, ResourceType } from '../../kube/resource.ts';
import {
  conditionsBornUnknown,
  DRIFT_DESCRIPTION,
  deletionPolicy,
  driftPolicy,
  GROUP,
  moment,
  namespaceName,
  objectName,
  ttl,
  VERSION,
} from './common.ts';
import { RECORD_RULES } from './record-rules.ts';
import { immutable, withRules } from './rules.ts';
import { matches, OWNER_NAME } from './syntax.ts';

/** `Propagated`: every name server of the zone answers it. `Ready` sums the others up. */
export const RECORD_CONDITIONS = ['Accepted', 'Programmed', 'Propagated', 'Ready'] as const;

/**
 * One value may be as long as the service takes; a list of values has shorter ones. CEL's cost is estimated from these
 * bounds, and the rule that compares each of 100 values with each is over the limit (10^7) at 4096.
 */
const MAX_CONTENT = 65_535;
const MAX_LISTED_CONTENT = 2_048;
const MAX_VALUES = 100;

const priority = z.int().min(0).max(65_535);

const zoneRef = immutable(
  z.object({
    name: objectName.meta({ description: 'Name of the DNSZone.' }),
    namespace: namespaceName.optional().meta({
      description: "Namespace of the DNSZone, which must permit it (allowedRecords). The record's own when left out.",
    }),
  }),
  'zoneRef',
).meta({ description: 'The DNSZone that the record belongs to. Immutable.' });

const name = immutable(
  withRules(z.string().min(1).max(254), [
    {
      rule: matches('self', OWNER_NAME),
      message:
        'must be "@" for the zone itself or a name relative to the zone, such as www, *.dev or _acme-challenge: labels of 1 ' +
        'to 63 letters, digits, "_" and "-", "*" as the first label only',
      holds: (self) => new RegExp(OWNER_NAME).test(self),
    },
  ]),
  'name',
).meta({ description: 'Name relative to the zone, for instance www; "@" is the zone itself. Immutable.' });

const CONTENT_DESCRIPTION =
  'An address (A, AAAA), a host name (CNAME, MX, NS, PTR, ALIAS), text (TXT), or the zone file form of the other types.';

export const recordSpec = withRules(
  z.object({
    zoneRef,
    name,
    type: immutable(z.enum(RECORD_TYPES), 'type').meta({ description: 'Record type. Immutable.' }),
    ttl: ttl.optional().meta({
      description: 'Seconds, 30 to 86400, that resolvers may keep the answer. The default of the zone when left out.',
    }),
    content: z
      .string()
      .min(1)
      .max(MAX_CONTENT)
      .optional()
      .meta({ description: `The value, when there is one; otherwise use values. ${CONTENT_DESCRIPTION}` }),
    priority: priority.optional().meta({
      description: 'Preference of the mail exchanger in content, lower first; type MX only, 10 when left out.',
    }),
    values: z
      .array(
        z.object({
          content: z.string().min(1).max(MAX_LISTED_CONTENT).meta({ description: CONTENT_DESCRIPTION }),
          priority: priority
            .optional()
            .meta({ description: 'Preference of a mail exchanger, lower first; type MX only, 10 when left out.' }),
        }),
      )
      .min(1)
      .max(MAX_VALUES)
      .optional()
      .meta({ description: 'The values, when there are several at this name.', 'x-kubernetes-list-type': 'atomic' }),
    deletionPolicy: deletionPolicy.meta({
      description:
        'What happens at the DNS service when this object is deleted: Delete removes, Retain leaves. In a zone of another ' +
        'namespace always Delete.',
    }),
    driftPolicy: driftPolicy
      .optional()
      .meta({ description: `${DRIFT_DESCRIPTION} The policy of the zone when left out.` }),
    adopt: z
      .enum(['Never', 'IfIdentical'])
      .default('Never')
      .meta({
        description:
          'What to do when the DNS service already has the very value: Never reports a conflict, IfIdentical takes it over. In ' +
          'a zone of another namespace always Never.',
      }),
  }),
  RECORD_RULES,
);

const ledgerEntry = z.object({
  id: z.string().max(64).optional().meta({ description: 'Id at the DNS service; absent until the answer is known.' }),
  content: z.string().max(70_000).meta({ description: 'The value as sent to the DNS service.' }),
  priority: priority.nullable().meta({ description: 'Null on every type but MX.' }),
  ttl: ttl.optional().meta({ description: 'With intent only: the ttl that was sent, absent when none was.' }),
  intent: z
    .string()
    .max(64)
    .optional()
    .meta({ description: 'Set before the value is created, so that a lost answer can be asked for again.' }),
});

export const recordStatus = z.object({
  observedGeneration: z.int().min(0).optional().meta({ description: 'The generation that this status is about.' }),
  fqdn: z.string().max(254).optional().meta({ description: 'The whole name, lower case, without final dot.' }),
  summary: z.string().max(256).optional().meta({ description: 'The values in one short line.' }),
  zoneId: z.string().max(64).optional().meta({ description: 'Id of the zone that holds the records below.' }),
  records: z
    .array(ledgerEntry)
    .max(2 * MAX_VALUES)
    .optional()
    .meta({
      description: 'What this object owns at the DNS service; nothing else is ever changed or deleted for it.',
      // One field manager writes the ledger, always as a whole: merging entries of two writers would invent ownership.
      'x-kubernetes-list-type': 'atomic',
    }),
  nextAttemptTime: moment.optional().meta({ description: 'When the operator tries again, while it waits.' }),
  conditions: conditionsBornUnknown(RECORD_CONDITIONS),
});

export type RecordSpec = z.infer<typeof recordSpec>;
export type RecordStatus = z.infer<typeof recordStatus>;
/** One value that an object owns, or is about to own, at the service. */
export type LedgerEntry = z.infer<typeof ledgerEntry>;

export interface DNSRecord extends KubeObject {
  readonly spec: RecordSpec;
  readonly status?: RecordStatus;
}

export const DNS_RECORD = {
  group: GROUP,
  version: VERSION,
  plural: 'dnsrecords',
  kind: 'DNSRecord',
  namespaced: true,
  shortNames: ['zdr'],
  categories: ['zonestead'],
} as const satisfies ResourceType & { shortNames: readonly string[]; categories: readonly string[] };
