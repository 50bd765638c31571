// The names that the operator uses in a cluster: finalizer, field manager, annotations, labels and the Lease.

/** The operator adds it before its first write at the service, and removes it when no data of the object is left there. */
export const FINALIZER = 'zonestead.dev/dns';
/** The field manager that owns the status fields (server-side apply). */
export const FIELD_MANAGER = 'zonestead-operator';
/** The reporting controller in Events. */
export const REPORTER = 'zonestead.dev/operator';
/** An annotation of a DNSRecord: the values that were about to be created; see operator/record/creation-annotation.ts. */
export const CREATION_ANNOTATION = 'zonestead.dev/creation';
/** An annotation of an Event: the id of the run, which the service has as `x-request-id` and as request id in its history. */
export const REQUEST_ID = 'zonestead.dev/request-id';
/** An annotation of a DNSZone, with the value `true`: delete the zone with all records that no DNSRecord owns. */
export const FORCE_DELETE = 'zonestead.dev/force-delete';
/** An annotation of a DNSZone, with the value `true`: remove orphaned records of other namespaces in any number. */
export const REMOVE_ORPHANS = 'zonestead.dev/remove-orphans';
/** The reason of Ready, and a condition, of a DNSZone that is not deleted because no DNSRecord owns some of its records. */
export const DELETION_BLOCKED = 'DeletionBlocked';
/** A label of a namespace, with the value `allow`: its DNSZones may take over or observe existing zones of the service. */
export const EXISTING_ZONES = 'zonestead.dev/existing-zones';
/** The key of a Secret that holds an API key. */
export const SECRET_KEY = 'apiKey';
/** The Lease of the leading replica. */
export const LEASE = 'zonestead-operator';
