// DNSZone: what a user says about a zone and what the operator answers. It must not know how either is acted upon.
import { z } from 'zod';
import { parseZoneName } from '../../dns/name.ts';
import { RECORD_TYPES } from '../../dns/types/record-type.ts';
import type { KubeObject, ResourceType } from '../../kube/resource.ts';
import {
  conditionsBornUnknown,
  DRIFT_DESCRIPTION,
  deletionPolicy,
  driftPolicy,
  GROUP,
  labelSelector,
  moment,
  objectName,
  ttl,
  VERSION,
} from './common.ts';
import { immutable, withRules } from './rules.ts';
import { matches, NAME_PATTERN, NUMBERS, ZONE_NAME } from './syntax.ts';

/** Seconds; what the service gives a zone that asks for nothing else. */
export const DEFAULT_TTL = 3_600;

/** `Delegated`: the parent zone points here. `Ready` sums the others up. */
export const ZONE_CONDITIONS = ['Accepted', 'Programmed', 'Delegated', 'Ready'] as const;

const zoneName = immutable(
  withRules(z.string().min(1).max(254), [
    {
      rule: `${matches('self', ZONE_NAME)} && !${matches('self', NUMBERS)}`,
      message: 'must be a domain name such as example.org: labels of letters, digits, "_" and inner hyphens',
      holds: (self) => parseZoneName(self).ok,
    },
  ]),
  'zoneName',
).meta({ description: 'Name of the zone, for instance example.org. Immutable.' });

const namespaces = withRules(
  z.object({
    from: z
      .enum(['Same', 'All', 'Selector'])
      .default('Same')
      .meta({ description: "Same: this object's own namespace. All: every one. Selector: those with these labels." }),
    selector: labelSelector.optional().meta({ description: 'Labels of the namespaces; with from: Selector only.' }),
  }),
  [
    {
      rule: "has(self.selector) == (has(self.from) && self.from == 'Selector')",
      message: 'set selector together with from: Selector, and only then',
      holds: (self) => (self.selector !== undefined) === (self.from === 'Selector'),
    },
  ],
);

const namePattern = withRules(z.string().min(1).max(253), [
  {
    rule: matches('self', NAME_PATTERN),
    message: 'must be "*", "@", a name relative to the zone such as www, or *.dev for every name below dev',
    holds: (self) => new RegExp(NAME_PATTERN).test(self),
  },
]);

const allowedRecord = z.object({
  namespaces: namespaces.default({ from: 'Same' }).meta({ description: 'Where the DNSRecords may come from.' }),
  names: z
    .array(namePattern)
    .max(64)
    .optional()
    .meta({
      description:
        'Names they may have, relative to the zone: "*" for all, "@" for the apex, a name, or *.dev for every name below ' +
        'dev. All names when left out.',
      'x-kubernetes-list-type': 'set',
    }),
  types: z
    .array(z.enum(RECORD_TYPES))
    .max(RECORD_TYPES.length)
    .optional()
    .meta({ description: 'Types they may have. All types when left out.', 'x-kubernetes-list-type': 'set' }),
});

const acme = z.object({
  namespaces: namespaces.default({ from: 'Same' }).meta({
    description: 'Whose challenges: the namespace of the Challenge, or that of the Issuer where no Challenge is found.',
  }),
  names: z
    .array(namePattern)
    .max(64)
    .optional()
    .meta({
      description:
        'Names that may hold a challenge besides _acme-challenge and those that begin with "_acme-challenge.", for CNAMEs ' +
        'that point here. None when left out.',
      'x-kubernetes-list-type': 'set',
    }),
  wildcardShadowing: z
    .enum(['Refuse', 'Warn'])
    .default('Refuse')
    .meta({
      description:
        '_acme-challenge.a makes the name a exist, so that a wildcard stops answering for it (RFC 4592). Refuse: no ' +
        'challenge where that would happen. Warn: the challenge is put there all the same, and an Event tells it.',
    }),
});

export const zoneSpec = z.object({
  zoneName,
  owner: withRules(z.string().min(1).max(128), [
    {
      rule: "self == 'personal' || (self.startsWith('org:') && self.size() > 4)",
      message: 'must be org:<teamId> or personal; leave it out for the team of the API key',
      holds: (self) => self === 'personal' || (self.startsWith('org:') && self.length > 4),
    },
  ])
    .optional()
    .meta({
      description: 'Who owns the zone at the DNS service: org:<teamId>. The team of the API key when left out.',
    }),
  parked: z
    .boolean()
    .default(false)
    .meta({ description: 'A parked zone answers at its apex only; its records are kept.' }),
  defaultTtl: ttl.optional().meta({
    description:
      'Seconds, 30 to 86400, for records without a ttl of their own. 3600 when left out; ' +
      'a zone that was taken over keeps its own then.',
  }),
  deletionPolicy,
  managementPolicy: z
    .enum(['Full', 'Observe'])
    .default('Full')
    .meta({
      description:
        'Observe: the zone exists at the DNS service and is never created, parked or deleted from here. Needs an API key of ' +
        'its own, or a namespace labelled zonestead.dev/existing-zones=allow.',
    }),
  adopt: z
    .enum(['Never', 'IfIdentical'])
    .default('Never')
    .meta({
      description:
        'What to do when the DNS service already has a zone of this name in the same team: Never reports a conflict, ' +
        'IfIdentical takes it over with its records. Needs an API key of its own, or a namespace labelled ' +
        'zonestead.dev/existing-zones=allow.',
    }),
  driftPolicy: driftPolicy.default('Enforce').meta({ description: DRIFT_DESCRIPTION }),
  credentialsSecretRef: z
    .object({ name: objectName.meta({ description: 'Name of a Secret in the namespace of this object.' }) })
    .optional()
    .meta({
      description:
        'A Secret with the API key of a team of your own under the key apiKey; the operator must be permitted to read ' +
        "it (Role and RoleBinding in this namespace). The operator's own API key when left out.",
    }),
  allowedRecords: z
    .array(allowedRecord)
    .max(32)
    .optional()
    .meta({
      description:
        'Which DNSRecords of other namespaces may be in this zone: one entry must permit each. Those of its own namespace ' +
        'may until an entry says from: Same, and then what such entries say. An entry that permits NS also permits a DNSZone ' +
        'of that name in that namespace.',
      'x-kubernetes-list-type': 'atomic',
    }),
  acme: acme.optional().meta({
    description:
      'Permits ACME DNS-01 challenges (TXT at _acme-challenge names) and says for whom; {} permits them for ' +
      "this object's own namespace. When left out the solver puts none here.",
  }),
});

const dsEntry = z.object({
  keyTag: z.int().min(0).max(65_535).meta({ description: 'Tag of the key (RFC 4034 appendix B).' }),
  algorithm: z.int().min(0).max(255).meta({ description: 'DNSSEC algorithm number.' }),
  digestType: z.int().min(0).max(255).meta({ description: '2 is SHA-256.' }),
  digest: z.string().max(128).meta({ description: 'Hexadecimal, lower case.' }),
  record: z.string().max(512).meta({ description: 'The line for the zone file of the parent zone, without TTL.' }),
});

export const zoneStatus = z.object({
  observedGeneration: z.int().min(0).optional().meta({ description: 'The generation that this status is about.' }),
  zoneId: z.string().max(64).optional().meta({ description: 'Id of the zone at the DNS service.' }),
  intent: z
    .object({
      key: z.string().max(64).meta({ description: 'Makes the request happen once.' }),
      owner: z.string().max(128).meta({ description: 'The owner that was asked for.' }),
      defaultTtl: ttl.optional().meta({ description: 'The default TTL that was asked for, absent when none was.' }),
    })
    .optional()
    .meta({
      description: 'What is asked for, set before the zone is created: a lost answer is asked for again to the letter.',
    }),
  owner: z.string().max(128).optional().meta({ description: 'Who owns the zone at the DNS service.' }),
  origin: z.enum(['Created', 'Adopted', 'Observed']).optional().meta({
    description: 'How this object came to the zone. An observed zone is never changed or deleted from here.',
  }),
  creationStatus: z.string().max(64).optional().meta({ description: 'done, or what the owner has still to do.' }),
  state: z.enum(['active', 'parked']).optional().meta({ description: 'State of the zone at the DNS service.' }),
  nameservers: z
    .array(z.string().max(254))
    .max(32)
    .optional()
    .meta({ description: 'Host names to delegate the zone to.', 'x-kubernetes-list-type': 'atomic' }),
  ds: z
    .array(dsEntry)
    .max(16)
    .optional()
    .meta({ description: 'DS records for the parent zone, SHA-256 first.', 'x-kubernetes-list-type': 'atomic' }),
  serial: z
    .int()
    .min(0)
    .max(4_294_967_295)
    .optional()
    .meta({ description: 'Serial of the SOA, when it was last looked at.' }),
  records: z
    .int()
    .min(0)
    .optional()
    .meta({
      description:
        'Records in the zone, whoever made them: those of its DNSRecords some 10 seconds after they change, all others ' +
        'every 10 minutes.',
    }),
  defaultTtl: ttl.optional().meta({ description: 'Seconds in force for records without a ttl of their own.' }),
  nextAttemptTime: moment.optional().meta({ description: 'When the operator tries again, while it waits.' }),
  conditions: conditionsBornUnknown(ZONE_CONDITIONS),
});

export type ZoneSpec = z.infer<typeof zoneSpec>;
export type ZoneStatus = z.infer<typeof zoneStatus>;
/** Which records may come from where. */
export type RecordGrant = z.infer<typeof allowedRecord>;
/** Which namespaces a grant is for. */
export type NamespaceGrant = z.infer<typeof namespaces>;
/** Whose ACME challenges a zone takes. */
export type AcmeGrant = z.infer<typeof acme>;

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
