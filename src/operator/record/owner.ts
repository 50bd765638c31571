// The owner of a DNSRecord's values at the service, and the set that says which values these are. Pure.
import type { SetChange } from '#client/pace/writer.ts';
import type { OwnedSet } from '#contract/owners.ts';
import { keyOf } from '#kube/objects/resource.ts';
import { isChallenge } from '#resources/challenge.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import { isInOwnNamespace } from '#resources/zone-ref.ts';
import type { Desired, Policies } from './desired.ts';
import type { JudgedReverse } from './reverse.ts';

/** The prefix of the owners of all DNSRecords of a cluster. */
export function buildClusterPrefix(cluster: string): string {
  return `k8s:${cluster}/`;
}

/** @param key the key of a DNSRecord */
export function buildObjectOwner(cluster: string, key: string): string {
  return `${buildClusterPrefix(cluster)}${key}`;
}

/**
 * The key of the DNSRecord that the owner stands for; undefined for the owner of another cluster or of another kind.
 */
export function keyIn(owner: string, cluster: string): string | undefined {
  const key = owner.startsWith(buildClusterPrefix(cluster)) ? owner.slice(buildClusterPrefix(cluster).length) : '';
  return /^[^/\s]+\/[^/\s]+$/.test(key) ? key : undefined;
}

/** The facts of a set in a list of owners, for comparison with those of a set to apply. */
type Listed = Pick<
  OwnedSet,
  'name' | 'type' | 'generation' | 'instance' | 'comment' | 'retain' | 'share' | 'drift' | 'whenClusterLost'
>;

type Wishes = readonly { readonly content: string; readonly reverse?: boolean | undefined }[];

interface Reversible {
  readonly records?: Wishes;
  readonly values?: Wishes | undefined;
}

/**
 * A set as text: two sets of one generation of an object have the same values. An annotation does not change the
 * generation.
 */
export function textOfSet(zoneId: string, set: Listed & Reversible): string {
  const { name, type, generation, instance, comment, retain, share, drift, whenClusterLost } = set;
  const facts = [zoneId, name, type, generation, instance, comment, retain, share, drift, whenClusterLost];
  // Whether a PTR record is permitted changes without the generation.
  return JSON.stringify([...facts, ...listReverse(set)]);
}

/** The contents with a wish for a PTR record. A set of a list has records, and one to apply has values. */
function listReverse({ records, values = records ?? [] }: Reversible): string[] {
  return values
    .filter(({ reverse }) => reverse === true)
    .map(({ content }) => content)
    .sort();
}

/**
 * "Exactly these values are those of the object": anything else that it has in the zone is released in the same
 * transaction.
 * @param wasStored whether the service had these values as those of this object, by its status, which only the operator
 * writes. The object then takes them back without spec.adopt, because a zone that came back from a name server has its
 * records without their owners.
 * @param checkName the check of the values; undefined: none
 * @param reverse the zone of the PTR record of each value, in their order; null: the object wants none
 */
export function buildSetChange(
  object: DNSRecord,
  cluster: string,
  desired: Desired,
  { drift, whenClusterLost }: Policies,
  wasStored: boolean,
  checkName?: string | undefined,
  reverse: readonly JudgedReverse[] | null = null,
): SetChange & Listed {
  const { uid = '', generation = 0 } = object.metadata;
  const { ttl, adopt, deletionPolicy, sharing } = object.spec;
  const isOwn = isInOwnNamespace(object);
  return {
    owner: buildObjectOwner(cluster, keyOf(object)),
    generation,
    instance: uid,
    name: desired.name,
    type: desired.type,
    ...(ttl === undefined ? {} : { ttl }),
    comment: desired.comment,
    values: desired.values.map(({ content, priority, tier, weight }, at) => ({
      content,
      ...(priority === null ? {} : { priority }),
      ...(checkName === undefined ? {} : { check: checkName }),
      ...(tier === 0 ? {} : { tier }),
      ...(weight === null ? {} : { weight }),
      ...(desired.whenAllFail === 'ServeAll' ? {} : { whenAllFail: desired.whenAllFail }),
      ...(reverse === null ? {} : wishOf(reverse[at])),
    })),
    exact: true,
    drift,
    whenClusterLost,
    // Orders of one account for one name can get the same challenge, and each must keep its value until its own end.
    share: sharing === 'Shared' || isChallenge(object),
    // In a zone of another namespace, every user who knows a value could take it over and delete it afterwards, and a
    // value that remains without its object would remain after the grant ends.
    adopt: wasStored ? 'IfIdentical' : isOwn ? adopt : 'Never',
    retain: isOwn && deletionPolicy === 'Retain',
  };
}

/** The wish is told in both cases, so that the service removes a PTR record whose permission has ended. */
function wishOf(judged: JudgedReverse | undefined): { reverse: boolean; reverseIn?: string[] } {
  return judged === undefined || judged.zoneId === null
    ? { reverse: false }
    : { reverse: true, reverseIn: [judged.zoneId] };
}
