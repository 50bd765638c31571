// Names that the operator is known by in a cluster.

/** On before the first write at the service, off when nothing of the object is left there. */
export const FINALIZER = 'zonestead.dev/dns';
/** Owner of the status fields (server-side apply). */
export const FIELD_MANAGER = 'zonestead-operator';
/** Who reports in Events. */
export const REPORTER = 'zonestead.dev/operator';
/** On a DNSRecord: what was about to be created when it got its finalizer; see record-birth.ts. */
export const BIRTH = 'zonestead.dev/birth';
/** On an Event: the id of the run it tells of, which is the `x-request-id` at the service and the request id in its history. */
export const REQUEST_ID = 'zonestead.dev/request-id';
/** On a DNSZone, with the value `true`: delete the zone although records that nobody here owns are in it. */
export const FORCE_DELETE = 'zonestead.dev/force-delete';
/** Reason of Ready, and a condition of its own, of a DNSZone that is not deleted for the records of others in it. */
export const DELETION_BLOCKED = 'DeletionBlocked';
/** On a namespace, with the value `allow`: its DNSZones may take over or watch zones that the DNS service has already. */
export const EXISTING_ZONES = 'zonestead.dev/existing-zones';
/** The key of a Secret that holds an API key. */
export const SECRET_KEY = 'apiKey';
/** The Lease of the replica that works. */
export const LEASE = 'zonestead-operator';
