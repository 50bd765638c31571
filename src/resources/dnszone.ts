// The schema of the DNSZone resource: the desired zone. Its status is in dnszone-status.ts.

import { z } from 'zod';
import { DENIALS } from '#dns/dnssec/denial.ts';
import { parseZoneName } from '#dns/names/name.ts';
import type { KubeObject, ResourceType } from '#kube/objects/resource.ts';
import {
  DRIFT_DESCRIPTION,
  deletionPolicy,
  driftPolicy,
  GROUP,
  LOST_DESCRIPTION,
  labelSelector,
  objectName,
  recordTypeField,
  ttlField,
  VERSION,
  whenClusterLost,
} from './common.ts';
import type { ZoneStatus } from './dnszone-status.ts';
import { keyRollover } from './key-rollover.ts';
import { immutable, withRules } from './rules.ts';
import { matchInCel, NAME_PATTERN, NUMBERS, SECONDARY_NAME, ZONE_NAME } from './syntax.ts';

const zoneName = immutable(
  withRules(z.string().min(1).max(254), [
    {
      rule: `${matchInCel('self', ZONE_NAME)} && !${matchInCel('self', NUMBERS)}`,
      message:
        'must be a domain name such as example.org: labels of letters, digits, "_" and hyphens that neither begin nor end with a hyphen',
      holds: (self) => parseZoneName(self).ok,
    },
  ]),
  'zoneName',
).meta({ description: 'The name of the zone, for example example.org. This field is immutable.' });

const from = z.enum(['Same', 'All', 'Selector']).meta({
  description:
    'The namespaces that the rule applies to. Same is the namespace of this object. All is every namespace. Selector is ' +
    'every namespace whose labels match selector.',
});

const namespacesFrom = <From extends z.ZodType<'Same' | 'All' | 'Selector'>>(fromSchema: From) =>
  withRules(
    z.object({
      from: fromSchema,
      selector: labelSelector
        .optional()
        .meta({ description: 'The labels that a namespace must have. Required with from: Selector only.' }),
    }),
    [
      {
        rule: "has(self.selector) == (has(self.from) && self.from == 'Selector')",
        message: 'set selector with from: Selector, and omit it with from: Same and from: All',
        holds: (self) =>
          ((self as { selector?: unknown }).selector !== undefined) ===
          ((self as { from?: unknown }).from === 'Selector'),
      },
    ],
  );

const namePattern = withRules(z.string().min(1).max(253), [
  {
    rule: matchInCel('self', NAME_PATTERN),
    message:
      'must be "*" for every name, "@" for the zone itself, a name relative to the zone such as www, or *.dev for every name below dev',
    holds: (self) => new RegExp(NAME_PATTERN).test(self),
  },
]);

const allowedRecord = z.object({
  // There is no default: `Same` would restrict the zone's own namespace, which is rarely intended.
  namespaces: namespacesFrom(from).meta({
    description:
      'The namespaces whose DNSRecords this rule allows. A rule with from: Same also restricts the namespace of this zone ' +
      'to the records that such rules allow.',
  }),
  names: z
    .array(namePattern)
    .max(64)
    .optional()
    .meta({
      description:
        'The allowed names, relative to the zone: "*" for every name, "@" for the zone itself, a name such as www, or *.dev ' +
        'for every name below dev. Records that prove control of another name to a certificate authority are judged by that ' +
        'name: _acme-challenge.dev by dev. (Default: every name.)',
      'x-kubernetes-list-type': 'set',
    }),
  types: z
    .array(recordTypeField)
    .max(64)
    .optional()
    .meta({ description: 'The allowed record types. (Default: every type.)', 'x-kubernetes-list-type': 'set' }),
});

const secondaryName = withRules(z.string().min(1).max(32), [
  {
    rule: matchInCel('self', SECONDARY_NAME),
    message: 'must be the name of a secondary: lower-case letters, digits, and hyphens between them',
    holds: (self) => new RegExp(SECONDARY_NAME).test(self),
  },
]);

const acmeFields = z.object({
  namespaces: namespacesFrom(from.default('Same'))
    .default({ from: 'Same' })
    .meta({
      description:
        'The namespaces whose challenges this zone permits: the namespace of the cert-manager Challenge, or the namespace of ' +
        'the Issuer if no Challenge is found. (Default: from: Same.)',
    }),
  names: z
    .array(namePattern)
    .max(64)
    .optional()
    .meta({
      description:
        'The names that other namespaces may request certificates for, relative to the zone: "*" for every name, "@" for the ' +
        'zone itself, a name such as www, or *.dev for every name below dev. A name includes its wildcard, because both have ' +
        'the same challenge. Required with from: All and from: Selector. The namespace of this object may request ' +
        'certificates for every name, unless a rule of allowedRecords with from: Same restricts it: these names then ' +
        'apply to it too.',
      'x-kubernetes-list-type': 'set',
    }),
  targets: z
    .array(namePattern)
    .max(64)
    .optional()
    .meta({
      description:
        'Names without the label _acme-challenge that may hold challenges. Use them as targets of the CNAME records that ' +
        'delegate the challenges of other zones to this zone.',
      'x-kubernetes-list-type': 'set',
    }),
  wildcardShadowing: z
    .enum(['Refuse', 'Warn'])
    .default('Refuse')
    .meta({
      description:
        'How to handle a challenge that hides a wildcard record. A challenge at _acme-challenge.a makes the name a exist, so ' +
        'that the wildcard no longer answers for a (RFC 4592). Refuse rejects such a challenge. Warn creates the challenge ' +
        'and emits a Warning Event.',
    }),
});

const acme = withRules(acmeFields, [
  {
    rule: "!has(self.namespaces) || !has(self.namespaces.from) || self.namespaces.from == 'Same' || has(self.names)",
    message:
      'set names with from: All and from: Selector, to list the names that other namespaces may request certificates for',
    fieldPath: '.names',
    holds: (self) => self.namespaces.from === 'Same' || self.names !== undefined,
  },
]);

const zoneFields = z.object({
  zoneName,
  owner: withRules(z.string().min(1).max(128), [
    {
      rule: "self == 'personal' || (self.startsWith('org:') && self.size() > 4)",
      message: 'must be org:<teamId> or personal; omit it to use the team of the API key',
      holds: (self) => self === 'personal' || (self.startsWith('org:') && self.length > 4),
    },
  ])
    .optional()
    .meta({
      description:
        'The owner of the zone at the DNS service: org:<teamId>, or personal. (Default: the team of the API key.)',
    }),
  parked: z.boolean().default(false).meta({
    description:
      'Whether the zone is parked. The name servers answer for the apex of a parked zone only; its records are kept.',
  }),
  defaultTtl: ttlField.optional().meta({
    description:
      'The time to live of records that set no ttl, in seconds from 30 to 86400. (Default: 3600; a zone that was taken over ' +
      'keeps its value.)',
  }),
  denial: z
    .enum(DENIALS)
    .optional()
    .meta({
      description:
        'The DNSSEC records that prove that a name or type does not exist. With NSEC, any client can list the names of the ' +
        'zone. NSEC3 makes that an effort, for larger answers. (Default: NSEC; a zone that was taken over keeps its value.)',
    }),
  keyRollover: keyRollover.optional().meta({
    description:
      'When the zone gets another DNSSEC key. The operator begins a roll, never two at the same time, and status.keyRoll ' +
      'says what it waits for. If omitted, the operator begins none.',
  }),
  deletionPolicy,
  managementPolicy: z
    .enum(['Full', 'Observe'])
    .default('Full')
    .meta({
      description:
        'Whether the operator manages the zone. Full creates, changes and deletes it. Observe uses an existing zone for ' +
        'DNSRecords and never creates, parks or deletes it. Observe requires credentialsSecretRef, or the label ' +
        'zonestead.dev/existing-zones=allow on the namespace.',
    }),
  adopt: z
    .enum(['Never', 'IfIdentical'])
    .default('Never')
    .meta({
      description:
        'How to handle a zone of this name that already exists in the same team at the DNS service. Never reports a ' +
        'conflict. IfIdentical takes over the zone with all its records if it has the owner, the defaultTtl, the denial and ' +
        'the parked state of this object, so that the takeover changes nothing; the values that you omit are not ' +
        'compared, and neither are records and secondaries. Deleting this object then deletes that zone, unless ' +
        'deletionPolicy is Retain. IfIdentical requires credentialsSecretRef, or the label ' +
        'zonestead.dev/existing-zones=allow on the namespace.',
    }),
  driftPolicy: driftPolicy.default('Enforce').meta({ description: DRIFT_DESCRIPTION }),
  whenClusterLost: whenClusterLost
    .default('Keep')
    .meta({ description: `${LOST_DESCRIPTION} This is for the DNSRecords of the zone.` }),
  readyWhen: z
    .enum(['AllNameservers', 'OwnNodes'])
    .default('AllNameservers')
    .meta({
      description:
        'The name servers that Ready of this zone and of its DNSRecords waits for, in addition to every living node. ' +
        'AllNameservers waits for every name server in the NS records, so also for secondaries. OwnNodes does not wait for ' +
        'names that a secondary has added.',
    }),
  secondaries: z
    .array(secondaryName)
    .max(8)
    .optional()
    .meta({
      description:
        'The secondaries that this zone uses, among those that the administrator of the service offers to this namespace. An ' +
        'empty list chooses none. Secondaries that the administrator gave to the zone stay. If omitted, the operator does not ' +
        'change the choice.',
      'x-kubernetes-list-type': 'set',
    }),
  credentialsSecretRef: z
    .object({ name: objectName.meta({ description: 'The name of a Secret in the namespace of this object.' }) })
    .optional()
    .meta({
      description:
        'A Secret that holds the API key of your own team under the key apiKey. A Role and a RoleBinding in this namespace ' +
        "must allow the operator to get the Secret. (Default: the operator's own API key.)",
    }),
  allowedRecords: z
    .array(allowedRecord)
    .max(32)
    .optional()
    .meta({
      description:
        'Rules for the DNSRecords that may be created in this zone. A DNSRecord of another namespace must match at least one ' +
        "rule. All DNSRecords of the zone's own namespace are allowed, unless a rule has from: Same; they must then match " +
        'such a rule. A rule that allows NS also allows a DNSZone of that name in that namespace.',
      'x-kubernetes-list-type': 'atomic',
    }),
  acme: acme.optional().meta({
    description:
      'Permits ACME DNS-01 challenges, which are TXT records at _acme-challenge names. An empty object {} permits the ' +
      'challenges of the namespace of this object for every name in the zone. If omitted, the zone permits no challenges.',
  }),
});

export const zoneSpec = withRules(zoneFields, [
  {
    rule: "!has(self.keyRollover) || !has(self.managementPolicy) || self.managementPolicy != 'Observe'",
    message: 'omit keyRollover with managementPolicy: Observe, because the operator does not change an observed zone',
    fieldPath: '.keyRollover',
    holds: (self) => self.keyRollover === undefined || self.managementPolicy !== 'Observe',
  },
]);

type ZoneSpec = z.infer<typeof zoneSpec>;

export type { ZoneStatus } from './dnszone-status.ts';
/** The namespaces that a grant applies to. */
export type NamespaceGrant = z.infer<typeof allowedRecord>['namespaces'];

export interface DNSZone extends KubeObject {
  readonly spec: ZoneSpec;
  readonly status?: ZoneStatus;
}

export const DNS_ZONE = {
  group: GROUP,
  version: VERSION,
  plural: 'dnszones',
  kind: 'DNSZone',
  namespaced: true,
  shortNames: ['zdz'],
  categories: ['zonestead'],
} as const satisfies ResourceType & { shortNames: readonly string[]; categories: readonly string[] };
