// The meaning and the remedy of each reason of a condition that is not True: docs/reference/conditions.md prints them
// as tables, and `kubectl zonestead why` prints them next to the condition. Texts are Markdown, with links as in
// docs/reference.
import type {
  KeyRollProblem,
  MissingTargetReason,
  NotDelegatedReason,
  NotReadyReason,
  UnhealthyReason,
} from './reasons.ts';

export interface Advice {
  readonly meaning: string;
  readonly remedy: string;
}

export const READY_ADVICE: Readonly<Record<NotReadyReason, Advice>> = {
  Pending: {
    meaning: 'the operator has not processed the object yet',
    remedy: 'wait; if it lasts, no operator is the leader',
  },
  InvalidSpec: {
    meaning: 'a field, or the annotation `zonestead.dev/comment`, is wrong',
    remedy: 'correct the field or annotation that the message names',
  },
  Conflict: {
    meaning:
      'another object has the value or the name, or the value exists at the service without an owner, or a CNAME is next to other records',
    remedy:
      'the message names the other object; if that is deleted, this one takes over automatically. A record without an owner: take it over with `adopt: IfIdentical`, or delete it at the service',
  },
  CheckMissing: {
    meaning: 'the team of the zone has no check with the name of `spec.healthCheck.checkRef`',
    remedy:
      'create the check at the service, or write its definition into `spec.healthCheck`; the operator sees a new check within 10 s',
  },
  OlderThanService: {
    meaning:
      'the service has a newer version of this object than Kubernetes, because etcd was restored from a backup; DNS keeps the newer values',
    remedy:
      'write the newer values into the object, or let an owner of the team run [`zonestead clusters accept-older`](../how-to/after-an-etcd-restore.md), after which the object wins',
  },
  SecondaryNotOffered: {
    meaning: 'a secondary of `spec.secondaries` is not offered to the namespace',
    remedy:
      'choose one that the message names, or let the administrator [offer it](../how-to/secondaries.md#offer-a-secondary-to-the-owners-of-zones); the operator asks again every minute. Records and other fields are not affected',
  },
  NotPermitted: {
    meaning: 'a permission is missing',
    remedy: 'the owner of the zone permits it in `allowedRecords`, or an administrator does as the message says',
  },
  ZoneNotReady: { meaning: 'the DNSZone of `zoneRef` is not Ready', remedy: 'look at the conditions of that DNSZone' },
  ZoneMissing: {
    meaning: 'the zone does not exist at the service',
    remedy:
      'create the zone at the service, or let the operator create it (`managementPolicy: Full`, `driftPolicy: Enforce`)',
  },
  ZoneParked: { meaning: 'the zone is parked', remedy: 'set `parked: false` on the DNSZone' },
  ClusterDrained: {
    meaning: 'the cluster of the operator is drained at the service, and other records are at the name',
    remedy: '`zonestead clusters restore` serves the values again; the operator sees it within 10 s',
  },
  ClusterNameTaken: {
    meaning: 'the name of this cluster belongs to another Kubernetes cluster or another API key',
    remedy:
      'set `operator.cluster` to another name, or stop the other operator; [a minute later](../how-to/several-clusters.md#rebuild-a-cluster-under-its-name) this one continues automatically. If the API key was replaced: [`zonestead clusters release`](../how-to/several-clusters.md#replace-the-api-key-of-an-operator)',
  },
  Drifted: {
    meaning: 'another client changed the data at the service, and `driftPolicy` permits it',
    remedy: 'change it back at the service, or set `driftPolicy: Enforce`',
  },
  DeletionBlocked: {
    meaning:
      'the zone contains records that no DNSRecord owns or records of other namespaces, or too many objects or their CRD were deleted',
    remedy:
      '`kubectl zonestead why` prints the commands: delete these records, set `deletionPolicy: Retain`, or annotate the DNSZone with `zonestead.dev/force-delete=true`; for the other reasons see [many deletions at once](../explanation/ownership-drift-adoption.md#many-deletions-at-once)',
  },
  CredentialsMissing: {
    meaning: 'the Secret of `credentialsSecretRef` or its key `apiKey` does not exist',
    remedy: 'create the Secret; the operator sees it within 20 s',
  },
  CredentialsNotReadable: {
    meaning: 'the operator may not read the Secret',
    remedy: 'create the Role and RoleBinding; the operator sees them within 20 s',
  },
  CredentialsRejected: {
    meaning: 'the service refuses the key',
    remedy: 'put a valid key into the Secret; the operator sees it within 20 s',
  },
  CredentialsWrongTeam: {
    meaning: 'the key belongs to another team than the zone',
    remedy: 'put a key of the right team into the Secret; the operator sees it within 20 s',
  },
  RateLimited: {
    meaning: 'the key has reached its write limit',
    remedy:
      'nothing; the operator retries at `status.nextAttemptTime`. If it lasts, use [a higher limit](../how-to/bulk-changes.md)',
  },
  ZoneBusy: { meaning: 'other changes hold the zone', remedy: 'nothing; the operator retries' },
  AwaitingPropagation: {
    meaning: 'a node or a name server does not have the new data yet',
    remedy:
      'nothing; the operator asks again. If it lasts, see [ZonesteadPropagationStuck](alerts.md#zonesteadpropagationstuck)',
  },
  TargetUnresolved: {
    meaning: 'the target of an ALIAS has no address, as far as the resolvers of the api know',
    remedy:
      'correct `spec.content`, or give the target an address; if it has one, see whether the [resolvers of the api](../how-to/alias.md) answer. The operator asks again',
  },
  APIUnavailable: {
    meaning: 'the service does not answer',
    remedy:
      'nothing; the operator retries. If it lasts, see [ZonesteadServiceUnreachable](alerts.md#zonesteadserviceunreachable)',
  },
  APIError: {
    meaning: 'the service answers with an error',
    remedy: 'nothing; the operator retries. If it lasts, see [ZonesteadApiErrors](alerts.md#zonesteadapierrors)',
  },
};

/** DelegationRequired and the like are False; the others are Unknown. */
export const DELEGATED_ADVICE: Readonly<Record<NotDelegatedReason, Advice & { readonly status: 'False' | 'Unknown' }>> =
  {
    DelegationRequired: {
      status: 'False',
      meaning: 'the parent zone does not point to the name servers',
      remedy: 'publish the NS records of the message at the parent; the operator looks again within a minute',
    },
    DSRequired: {
      status: 'False',
      meaning: 'the parent zone has no DS record',
      remedy: 'publish the DS record of the message at the parent',
    },
    DSMismatch: {
      status: 'False',
      meaning: 'the DS record at the parent is not for the key of this zone',
      remedy: 'replace it with the DS record of the message',
    },
    HandshakeClaimRequired: {
      status: 'False',
      meaning: 'a single-label zone needs a Handshake claim',
      remedy: 'claim the name, or list it in `ZONESTEAD_PRIVATE_TLDS`',
    },
    NotChecked: {
      status: 'Unknown',
      meaning: 'the zone is not at the service yet',
      remedy: 'nothing; the operator queries the parent afterwards',
    },
    NoResolver: {
      status: 'Unknown',
      meaning: 'the operator has no resolver to find the parent with',
      remedy: 'set `ZONESTEAD_RESOLVER` of the operator',
    },
    ParentNotAsked: {
      status: 'Unknown',
      meaning: 'the parent was not queried, or did not answer',
      remedy:
        "use a resolver that answers; if the parent's name servers have private addresses, list their networks in `ZONESTEAD_PARENT_NETWORKS`",
    },
  };

/** The reasons of TargetsExist while it is False. */
export const TARGETS_ADVICE: Readonly<Record<MissingTargetReason, Advice>> = {
  TargetMissing: {
    meaning: 'records point to names that do not exist, by three lookups in a row',
    remedy:
      'delete or correct the records that the message names, or create the names again at their provider; see [dangling names](../how-to/dangling-names.md)',
  },
  TargetDomainMissing: {
    meaning: 'a record points below a domain that does not exist, so anyone can register it',
    remedy:
      'delete or correct the record at once, or register the domain; see [dangling names](../how-to/dangling-names.md)',
  },
};

export const UNHEALTHY_ADVICE: Readonly<Record<UnhealthyReason, Advice & { readonly status: 'False' | 'Unknown' }>> = {
  NotProbed: {
    status: 'Unknown',
    meaning:
      'an address was not probed yet, or may not be probed, or the Service of `spec.healthFrom` was never found; it counts as working',
    remedy:
      'nothing if it is new; otherwise see its reason in `status.members`: correct `spec.healthFrom.serviceRef`, or let the administrator permit networks and ports in `ZONESTEAD_CHECK_NETWORKS` and `ZONESTEAD_CHECK_PORTS`',
  },
  SomeUnhealthy: {
    status: 'False',
    meaning: 'an address does not work, and answers omit it while others work',
    remedy: 'repair the server at the address that the message names; answers have it again by themselves',
  },
  NoneHealthy: {
    status: 'False',
    meaning: 'no address of the record works',
    remedy:
      'repair a server, or see whether the check itself is wrong: its port, path, host and `expect`; with `spec.healthFrom`, see why no pod of the Service is ready',
  },
};

/** RollWaits is True; the others are False. */
export const KEY_ROLL_ADVICE: Readonly<Record<KeyRollProblem, Advice & { readonly status: 'True' | 'False' }>> = {
  RollWaits: {
    status: 'True',
    meaning: 'a step of the key roll has not been proven for three days; the zone is valid meanwhile',
    remedy:
      'repair the server that the message names, or give the parent zone the DS records of `status.ds` and no others; or cancel the roll with `zonestead zones keys cancel`. See [roll a DNSSEC key](../how-to/roll-a-dnssec-key.md#a-roll-that-waits)',
  },
  RollCancelled: {
    status: 'False',
    meaning: 'a person cancelled the roll that `spec.keyRollover` asks for, and the operator begins no other one',
    remedy: 'set `spec.keyRollover.requestedAt` to the present time for another roll, or correct `spec.keyRollover`',
  },
  RollRefused: {
    status: 'False',
    meaning: 'the service refuses the roll that `spec.keyRollover` asks for',
    remedy:
      'give the API key the right to manage zones, or remove `spec.keyRollover`; the operator tries again every five minutes',
  },
};

/** The advice for a reason of any condition; undefined if there is nothing to do about it. */
export function adviceFor(reason: string): Advice | undefined {
  const tables: readonly Readonly<Record<string, Advice>>[] = [
    READY_ADVICE,
    DELEGATED_ADVICE,
    TARGETS_ADVICE,
    UNHEALTHY_ADVICE,
    KEY_ROLL_ADVICE,
  ];
  return tables.find((table) => Object.hasOwn(table, reason))?.[reason];
}

/** Markdown as text for a terminal: links become their words. */
export function plainAdvice(markdown: string): string {
  return markdown.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
}
