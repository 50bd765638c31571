// The schema of the DNSRecord resource: the desired values of one RRset, and the status that the operator writes.
import { z } from 'zod';
import { ADDRESS_STATES } from '#base/check-form.ts';
import { MAX_TIER, MAX_WEIGHT, WHEN_ALL_FAIL } from '#dns/members.ts';
import { REVERSE_STATES } from '#dns/reverse.ts';
import { TYPES_IN_WORDS } from '#dns/types/record-type.ts';
import type { KubeObject, ResourceType } from '#kube/objects/resource.ts';
import {
  conditionsInitiallyUnknown,
  DRIFT_DESCRIPTION,
  deletionPolicy,
  driftPolicy,
  GROUP,
  LOST_DESCRIPTION,
  MAX_TYPE,
  momentField,
  type recordTypeField,
  reference,
  ttlField,
  VERSION,
  whenClusterLost,
} from './common.ts';
import { healthCheck, MAX_MEMBERS } from './health-check.ts';
import { healthFrom } from './health-from.ts';
import { RECORD_RULES, UNIQUE } from './record-rules.ts';
import { immutable, withRules } from './rules.ts';
import { matchInCel, OWNER_NAME } from './syntax.ts';

/**
 * `Propagated`: every name server of the zone serves the values. `Ready` is True when all others are. A record with a
 * check has `Healthy` in addition, which Ready does not include: the record is served as it should be while an address
 * fails.
 */
const RECORD_CONDITIONS = ['Accepted', 'Programmed', 'Propagated', 'Ready'] as const;

/**
 * A single value may be as long as the service accepts; the values of a list are shorter. The API server estimates the
 * cost of each CEL expression from these bounds: the patterns for a list of 100 values of 2048 characters take half of
 * its limit (10^7).
 */
const MAX_CONTENT = 65_535;
export const MAX_LISTED_CONTENT = 2_048;
export const MAX_VALUES = 100;

const priority = z.int().min(0).max(65_535);

const zoneRef = immutable(
  reference({
    name: 'The name of the DNSZone object.',
    namespace:
      'The namespace of the DNSZone. A DNSZone of another namespace must permit the record in its allowedRecords. ' +
      "(Default: the record's own namespace.)",
  }),
  'zoneRef',
).meta({ description: 'The DNSZone that the record belongs to. This field is immutable.' });

const name = immutable(
  withRules(z.string().min(1).max(254), [
    {
      rule: matchInCel('self', OWNER_NAME),
      message:
        'must be "@" for the zone itself, or a name relative to the zone such as www, *.dev or _acme-challenge: labels of 1 ' +
        'to 63 letters, digits, "_" and "-"; "*" is accepted as the first label only',
      holds: (self) => new RegExp(OWNER_NAME).test(self),
    },
  ]),
  'name',
).meta({
  description: 'The name relative to the zone, for example www. Use "@" for the zone itself. This field is immutable.',
});

/** A rule of the spec in place of a pattern: the API server would print the whole pattern. */
const type = z.string().max(MAX_TYPE) as unknown as typeof recordTypeField;

const CONTENT_DESCRIPTION =
  'Write an address for A and AAAA, a host name for CNAME, DNAME, MX, NS, PTR and ALIAS, text for TXT, and the zone file ' +
  'form for all other types.';

const listedValue = z.object({
  content: z
    .string()
    .min(1)
    .max(MAX_LISTED_CONTENT)
    .meta({ description: `One value. ${CONTENT_DESCRIPTION}` }),
  priority: priority.optional().meta({
    description:
      'The preference of this mail exchanger. Mail servers try lower numbers first. Only type MX accepts this field. ' +
      '(Default: 10.)',
  }),
  tier: z
    .int()
    .min(0)
    .max(MAX_TIER)
    .optional()
    .meta({
      description:
        'For failover: name servers answer with the lowest tier that has an address that works. Only types A and AAAA accept ' +
        'this field. (Default: 0.)',
    }),
  weight: z
    .int()
    .min(1)
    .max(MAX_WEIGHT)
    .optional()
    .meta({
      description:
        'If a value has a weight, each answer contains one address: the chance of a value is its weight divided by the sum of ' +
        'the weights, and a value without a weight has 1. Name servers with Knot DNS 3.2 and secondaries answer with all. A ' +
        'TTL above 60 is served as 60. Only types A and AAAA accept this field, and no wildcard.',
    }),
});

export const recordSpec = withRules(
  z.object({
    zoneRef,
    name,
    type: immutable(type, 'type').meta({
      description: `The record type: one of ${TYPES_IN_WORDS}. This field is immutable.`,
    }),
    ttl: ttlField.optional().meta({
      description:
        'The time to live: how long resolvers may cache the answer, in seconds from 30 to 86400. (Default: the defaultTtl of the zone.)',
    }),
    content: z
      .string()
      .min(1)
      .max(MAX_CONTENT)
      .optional()
      .meta({
        description: `The value of the record. Use values instead for several values. ${CONTENT_DESCRIPTION}`,
      }),
    priority: priority.optional().meta({
      description:
        'The preference of the mail exchanger in content. Mail servers try lower numbers first. Only type MX accepts this ' +
        'field. (Default: 10.)',
    }),
    values: withRules(z.array(listedValue).min(1).max(MAX_VALUES), [UNIQUE])
      .optional()
      .meta({
        description:
          'The values of the record, at most 100, each as an object: write `- content: 192.0.2.1`, not `- 192.0.2.1`. Use content ' +
          'instead for a single value. The DNS service takes all of them or none: if it refuses one value, an edited object ' +
          'keeps the values that it had.',
        'x-kubernetes-list-type': 'atomic',
      }),
    healthCheck: healthCheck.optional().meta({
      description:
        'The probe that the DNS service sends to the addresses of an A or AAAA record. While an address does not work, answers omit ' +
        'it, unless nothing else would be left. Set type and its fields, or checkRef alone. A TTL above 60 is served as 60.',
    }),
    healthFrom: healthFrom.optional().meta({
      description:
        'The source of the state of the addresses of an A or AAAA record, in place of healthCheck: while no endpoint of ' +
        'the Service is ready, answers omit the addresses, unless nothing else would be left. A TTL above 60 is served as 60.',
    }),
    whenAllFail: z
      .enum(WHEN_ALL_FAIL)
      .optional()
      .meta({
        description:
          'The answer of name servers while no address works. ServeAll: the addresses of the lowest tier. ServeNone: no address, ' +
          'if all records of the name and type want that. (Default: ServeAll.)',
      }),
    reverse: z
      .boolean()
      .optional()
      .meta({
        description:
          'Whether the DNS service writes the PTR record of each address of an A or AAAA record. The DNSZone with the ' +
          "reverse name must be in this cluster, and allow PTR records from the record's namespace. status.reverse says why " +
          'a PTR record is missing. (Default: false.)',
      }),
    deletionPolicy: deletionPolicy.meta({
      description:
        'How to treat the values at the DNS service when this object is deleted. Delete removes them. Retain keeps them. In ' +
        'a zone of another namespace the operator always removes them.',
    }),
    driftPolicy: driftPolicy
      .optional()
      .meta({ description: `${DRIFT_DESCRIPTION} (Default: the driftPolicy of the zone.)` }),
    whenClusterLost: whenClusterLost
      .optional()
      .meta({ description: `${LOST_DESCRIPTION} (Default: the whenClusterLost of the zone.)` }),
    sharing: z
      .enum(['Exclusive', 'Shared'])
      .default('Exclusive')
      .meta({
        description:
          'Whether other owners at the DNS service may have the same value, for example the DNSRecord of another cluster. ' +
          'With Shared, an owner that shares as well has it together with this object: it has the lowest TTL of its owners, ' +
          'and stays until the last of them releases it. With Exclusive, the same value is a conflict.',
      }),
    adopt: z
      .enum(['Never', 'IfIdentical'])
      .default('Never')
      .meta({
        description:
          'How to handle a value that exists at the DNS service and that no DNSRecord owns. Never reports a conflict. ' +
          'IfIdentical takes over a record with the same name, type, value and TTL. In a zone of another namespace the ' +
          'operator takes over no records.',
      }),
  }),
  RECORD_RULES,
);

const member = z.object({
  content: z.string().max(64).meta({ description: 'The address.' }),
  tier: z.int().min(0).max(MAX_TIER).meta({ description: 'Its tier.' }),
  state: z.enum(ADDRESS_STATES).meta({
    description:
      'Whether it works, by the probes, the endpoints of the Service, or the pin of a person. Unknown counts as working.',
  }),
  since: momentField.optional().meta({ description: 'Since when it is in this state. Absent while nothing is known.' }),
  reason: z.string().max(512).optional().meta({ description: 'Why, as a sentence. Absent while nothing is known.' }),
  served: z.boolean().meta({ description: 'Whether name servers answer with it.' }),
});

const reverseEntry = z.object({
  content: z.string().max(64).meta({ description: 'The address.' }),
  state: z.enum(REVERSE_STATES).meta({ description: 'Written: its PTR record points to this record.' }),
  reason: z.string().max(512).optional().meta({ description: 'Why it has no PTR record, as a sentence.' }),
});

export const recordStatus = z.object({
  observedGeneration: z
    .int()
    .min(0)
    .optional()
    .meta({ description: 'The metadata.generation that the operator has processed last.' }),
  fqdn: z
    .string()
    .max(254)
    .optional()
    .meta({ description: 'The fully qualified domain name in lower case, without the final dot.' }),
  summary: z.string().max(256).optional().meta({ description: 'The values on one short line, for kubectl get.' }),
  zoneId: z
    .string()
    .max(64)
    .optional()
    .meta({ description: 'The id of the zone at the DNS service that holds the records of this object.' }),
  nextAttemptTime: momentField.optional().meta({
    description: 'The time of the next attempt, set while the operator waits for a limit of the DNS service.',
  }),
  foundService: z
    .string()
    .max(127)
    .optional()
    .meta({
      description:
        'The Service of healthFrom, with its port, that the operator has found. If it is gone later, the addresses count ' +
        'as Unhealthy; one that was never found says nothing about them.',
    }),
  members: z
    .array(member)
    .max(MAX_MEMBERS)
    .optional()
    .meta({
      description: `The addresses of a record with healthCheck or healthFrom, at most ${MAX_MEMBERS}: those that do not work come first then.`,
      'x-kubernetes-list-type': 'atomic',
    }),
  reverse: z
    .array(reverseEntry)
    .max(MAX_MEMBERS)
    .optional()
    .meta({
      description: `The addresses of a record with reverse, at most ${MAX_MEMBERS}: those without a PTR record come first then.`,
      'x-kubernetes-list-type': 'atomic',
    }),
  conditions: conditionsInitiallyUnknown(RECORD_CONDITIONS),
});

export type RecordSpec = z.infer<typeof recordSpec>;
export type RecordStatus = z.infer<typeof recordStatus>;
export type RecordMember = z.infer<typeof member>;
export type ReverseEntry = z.infer<typeof reverseEntry>;

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
