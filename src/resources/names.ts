// The names that the operator uses in a cluster: finalizer, field manager, annotations, labels and the Lease.

/**
 * The operator adds it before its first write at the service, and removes it when no data of the object is left there.
 */
export const FINALIZER = 'zonestead.dev/dns';
/** The field manager of the status writes: managedFields of every object names it. */
export const FIELD_MANAGER = 'zonestead-operator';
/** The reporting controller in Events. */
export const REPORTER = 'zonestead.dev/operator';
/**
 * An annotation of an Event: the id of the run, which the service has as `x-request-id` and as request id in its
 * history.
 */
export const REQUEST_ID_ANNOTATION = 'zonestead.dev/request-id';
/**
 * An annotation of a DNSZone, with the value `true`: delete the zone with all its records, also those that others need.
 */
export const FORCE_DELETE = 'zonestead.dev/force-delete';
/**
 * An annotation of a DNSZone, with the value `true`: release the records of any number of deleted DNSRecords, and
 * delete this zone.
 */
export const RELEASE_MANY = 'zonestead.dev/release-many';
/** An annotation of a DNSZone or DNSRecord: the comment of the zone, or of the records, at the service. */
export const COMMENT = 'zonestead.dev/comment';
/**
 * An annotation of a DNSZone, with the value `true`: a new zone gets a new DNSSEC key instead of that of the deleted
 * zone of its name.
 */
export const NEW_KEY = 'zonestead.dev/new-key';
/** A condition of a DNSZone: the records of deleted DNSRecords remain, because there are too many of them. */
export const DELETIONS_HELD = 'DeletionsHeld';
/**
 * A condition of a DNSZone: the objects of the cluster are older than the data of the service, so that the operator
 * releases and deletes nothing. Also the reason of the other conditions about what is held.
 */
export const ETCD_RESTORED = 'EtcdRestored';
/** A condition of a DNSZone: a name server does not answer, and the proof of Ready continues without it. */
export const DEGRADED = 'Degraded';
/** A condition of a DNSZone: no record points to a name that is known not to exist. */
export const TARGETS_EXIST = 'TargetsExist';
/** A condition of a DNSZone: another DNSSEC key takes the place of the present one. */
export const KEYS_ROLLING = 'KeysRolling';
/**
 * The reason of Ready, and a condition, of a DNSZone whose zone is not deleted: records in it are needed, or too many
 * were deleted at once.
 */
export const DELETION_BLOCKED = 'DeletionBlocked';
/**
 * A label of a namespace, with the value `allow`: its DNSZones may take over or observe existing zones of the service.
 */
export const EXISTING_ZONES = 'zonestead.dev/existing-zones';
/** The key of a Secret that holds an API key. */
export const SECRET_KEY = 'apiKey';
/** An annotation of the Lease: how often it was renewed. A lower number shows that etcd was restored from a backup. */
export const RENEWALS = 'zonestead.dev/renewals';
/** The Lease of the leading replica. */
export const LEASE = 'zonestead-operator';
