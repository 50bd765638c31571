// The schema of the status of the DNSZone resource, which the operator writes.
import { z } from 'zod';
import { MAX_COMMENT } from '#dns/comment.ts';
import { DENIALS } from '#dns/dnssec/denial.ts';
import { KEY_STATES, type KeyState } from '#dns/dnssec/key-states.ts';
import { conditionsInitiallyUnknown, momentField, ttlField } from './common.ts';

/**
 * `Delegated`: the parent zone delegates to the name servers here. `Ready` is True when all others but Delegated are.
 */
const ZONE_CONDITIONS = ['Accepted', 'Programmed', 'Delegated', 'Ready'] as const;

const dsEntry = z.object({
  keyTag: z.int().min(0).max(65_535).meta({ description: 'The key tag of the signing key (RFC 4034 appendix B).' }),
  algorithm: z.int().min(0).max(255).meta({ description: 'The DNSSEC algorithm number. 13 is ECDSA P-256.' }),
  digestType: z.int().min(0).max(255).meta({ description: 'The digest type. 2 is SHA-256.' }),
  digest: z.string().max(128).meta({ description: 'The digest of the key in lower-case hexadecimal digits.' }),
  record: z
    .string()
    .max(512)
    .meta({ description: 'The DS record as a line of a zone file, without TTL. Publish it in the parent zone.' }),
});

const keyState = z.enum(KEY_STATES.map(writeKeyState));

/** The state of a key as a status has it, such as `Published`. */
export function writeKeyState<State extends KeyState>(state: State): Capitalize<State> {
  return `${state.charAt(0).toUpperCase()}${state.slice(1)}` as Capitalize<State>;
}

const keyEntry = z.object({
  keyTag: dsEntry.shape.keyTag,
  algorithm: dsEntry.shape.algorithm,
  state: keyState.meta({
    description:
      'Active: the key signs everything. Presigning: it signs, and is not in the DNSKEY RRset yet. Published: it is in the ' +
      'DNSKEY RRset. Ready: it is there, and the parent zone should have its DS records and no others. Withdrawn: its roll ' +
      'was cancelled, and it goes. Retired: it is in the DNSKEY RRset, and signs nothing. Postsigning: it signs, and is not ' +
      'in the DNSKEY RRset any more.',
  }),
  createdTime: momentField.meta({ description: 'The time at which the service made or imported the key.' }),
  rollCancelledTime: momentField.optional().meta({
    description: 'The last time at which a roll that would have replaced the key was cancelled. Absent when none was.',
  }),
});

const keyRoll = z.object({
  keyTag: dsEntry.shape.keyTag.meta({ description: 'The tag of the key that comes, or that goes if none comes.' }),
  step: keyState.meta({ description: 'The state of that key, which is the step of the roll.' }),
  since: momentField.meta({ description: 'The time at which the step began.' }),
  waitsFor: z.string().max(512).meta({ description: 'The server and the value that the step waits for.' }),
  nextStepTime: momentField.optional().meta({
    description: 'The time of the next step, if all servers continue to show this one. Absent when not all of them do.',
  }),
});

const servedBy = z.object({
  name: z.string().max(254).meta({ description: 'The host name of the name server.' }),
  address: z.string().max(64).meta({ description: 'The address that was queried.' }),
  node: z.string().max(64).optional().meta({
    description: 'The node that answered, if the name server tells its name (RFC 5001).',
  }),
  serial: z
    .int()
    .min(0)
    .max(4_294_967_295)
    .optional()
    .meta({ description: 'The serial of the SOA record in the answer: that of status.serial or a later one.' }),
  problem: z
    .string()
    .max(512)
    .optional()
    .meta({ description: 'The problem with the answer. Absent when there is none.' }),
});

const nodeEntry = z.object({
  name: z.string().max(64).meta({ description: 'The name of the node.' }),
  state: z.enum(['Current', 'Behind', 'Starting']).meta({
    description:
      'Current: the node has applied every change. Behind: it has not, or fails to serve the zone. Starting: it has not ' +
      'applied its first list of zones, and does not count yet.',
  }),
  problem: z.string().max(512).optional().meta({ description: 'Why the node is behind. Absent when it is not.' }),
  evenly: z.boolean().optional().meta({
    description:
      'True if the node answers records with weights with all of them, evenly, because its DNS server cannot draw.',
  }),
});

const secondaryEntry = z.object({
  name: z.string().max(64).meta({ description: 'The name of the secondary.' }),
  nameservers: z.array(z.string().max(254)).max(32).optional().meta({
    description: 'The names that it adds to the NS records of the zone. Absent for a hidden secondary.',
    'x-kubernetes-list-type': 'atomic',
  }),
  state: z.enum(['Current', 'Behind', 'Silent', 'Unknown']).meta({
    description:
      'Current: the secondary has the last change of the zone. Behind: it does not have it. Silent: it does not answer. ' +
      'Unknown: no node has reported about it.',
  }),
  serial: z.int().min(0).max(4_294_967_295).optional().meta({
    description: 'The serial that it answers. Absent if that is not known.',
  }),
  problem: z.string().max(512).optional().meta({ description: 'Why it is not current. Absent when it is.' }),
});

export const zoneStatus = z.object({
  observedGeneration: z
    .int()
    .min(0)
    .optional()
    .meta({ description: 'The metadata.generation that the operator has processed last.' }),
  zoneId: z.string().max(64).optional().meta({ description: 'The id of the zone at the DNS service.' }),
  intent: z
    .object({
      key: z.string().max(64).meta({ description: 'The idempotency key of the request.' }),
      owner: z.string().max(128).meta({ description: 'The owner in the request.' }),
      defaultTtl: ttlField.optional().meta({ description: 'The default TTL in the request. Absent when it has none.' }),
      denial: z
        .enum(DENIALS)
        .optional()
        .meta({ description: 'The denial of names in the request. Absent when it has none.' }),
      comment: z
        .string()
        .max(MAX_COMMENT)
        .optional()
        .meta({ description: 'The comment in the request. Absent when it has none.' }),
      newKey: z.literal(true).optional().meta({
        description: 'Whether the request asks for a new DNSSEC key. Absent when it does not.',
      }),
    })
    .optional()
    .meta({
      description:
        'Internal, do not rely on it. The zone-creation request in progress. The operator repeats this exact request if it ' +
        'did not receive the response.',
    }),
  owner: z.string().max(128).optional().meta({ description: 'The owner of the zone at the DNS service.' }),
  origin: z
    .enum(['Created', 'Adopted', 'Observed'])
    .optional()
    .meta({
      description:
        'How this object acquired the zone: Created, Adopted (taken over) or Observed. The operator never changes or deletes ' +
        'an observed zone.',
    }),
  key: z
    .object({
      keyTag: dsEntry.shape.keyTag,
      kept: z.boolean().meta({
        description:
          'Whether it is the key of the zone of this name that its owner deleted. Otherwise it is a new key.',
      }),
      formerKeyTag: dsEntry.shape.keyTag.optional().meta({
        description: 'The tag of the key of the deleted zone, if this zone does not use it.',
      }),
    })
    .optional()
    .meta({ description: 'The DNSSEC key that the zone got when this object created it.' }),
  creationStatus: z.string().max(64).optional().meta({
    description:
      'The step that the owner of the zone must take next, for example ds_required, or done if there is none.',
  }),
  state: z.enum(['active', 'parked']).optional().meta({ description: 'The state of the zone at the DNS service.' }),
  nameservers: z.array(z.string().max(254)).max(32).optional().meta({
    description: 'The host names of the name servers. Publish them as NS records in the parent zone.',
    'x-kubernetes-list-type': 'atomic',
  }),
  servers: z
    .array(servedBy)
    .max(64)
    .optional()
    .meta({
      description:
        'The addresses of the name servers and the serial that each one served when the operator last proved the zone over ' +
        'DNS. Name servers sign on their own, so their serials differ from each other.',
      'x-kubernetes-list-type': 'atomic',
    }),
  nodes: z.array(nodeEntry).max(64).optional().meta({
    description:
      'The name server nodes that reported within 30 seconds, and whether each had applied every change of the zone.',
    'x-kubernetes-list-type': 'atomic',
  }),
  nodesCurrent: z.string().max(16).optional().meta({
    description:
      'The number of nodes that had applied every change of the zone, and the number of nodes that count, as in 2/2.',
  }),
  secondaries: z.array(secondaryEntry).max(64).optional().meta({
    description:
      'The secondaries that have the zone, and whether each had the last change when the operator last proved the zone.',
    'x-kubernetes-list-type': 'atomic',
  }),
  secondariesCurrent: z.string().max(16).optional().meta({
    description: 'The number of secondaries that had the last change of the zone, and the number of all, as in 1/2.',
  }),
  ds: z.array(dsEntry).max(16).optional().meta({
    description: 'The DS records of the zone, SHA-256 first. Publish the first one in the parent zone.',
    'x-kubernetes-list-type': 'atomic',
  }),
  keys: z.array(keyEntry).max(8).optional().meta({
    description: 'The DNSSEC keys of the zone, the oldest first.',
    'x-kubernetes-list-type': 'atomic',
  }),
  keyRoll: keyRoll.optional().meta({
    description:
      'The key roll that is under way. Absent when none is. The operator updates it within five minutes after a change.',
  }),
  serial: z
    .int()
    .min(0)
    .max(4_294_967_295)
    .optional()
    .meta({ description: 'The serial of the SOA record when the operator last read the zone.' }),
  records: z
    .int()
    .min(0)
    .optional()
    .meta({
      description:
        'The number of records in the zone, including records that no DNSRecord owns. The operator updates it about 10 ' +
        'seconds after a DNSRecord of the zone changes, and otherwise every 10 minutes.',
    }),
  defaultTtl: ttlField
    .optional()
    .meta({ description: 'The time to live of records that set no ttl at the DNS service, in seconds.' }),
  denial: z
    .enum(DENIALS)
    .optional()
    .meta({ description: 'How the zone denies names at the DNS service: with NSEC or NSEC3 records.' }),
  nextAttemptTime: momentField.optional().meta({
    description: 'The time of the next attempt, set while the operator waits for a limit of the DNS service.',
  }),
  conditions: conditionsInitiallyUnknown(ZONE_CONDITIONS),
});
export type ZoneStatus = z.infer<typeof zoneStatus>;
