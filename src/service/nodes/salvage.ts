// Brings back zones that name servers hold and the database lacks, for a command of the administrator. Each zone is
// asked for by its name, judged here, and imported in a transaction of its own; nodes decide nothing. A crash leaves
// a request that ends automatically, and the command can be repeated: a zone that is back is not imported again.
import { randomBytes } from 'node:crypto';
import type { Keyring } from '#base/keyring.ts';
import { dropUnprintable } from '#base/printable.ts';
import { DEFAULT_DENIAL } from '#dns/dnssec/denial.ts';
import { keyTag, keyTagOfDs } from '#dns/dnssec/signing-key.ts';
import { orderName, parseZoneName } from '#dns/names/name.ts';
import { DEFAULT_TTL } from '#dns/record.ts';
import type { ServedSet } from '#dns/served.ts';
import { withDatabase } from '#store/admin.ts';
import type { Db } from '#store/database.ts';
import { countStoredKeys } from '#store/encryption.ts';
import { lockTeam } from '#store/people.ts';
import { closeSalvage, isPerson, lockForSalvage, readSealSecret, type SentEnd, sentParts } from '#store/salvage.ts';
import { zonesNamed } from '#store/zones.ts';
import type { Owner } from '../accounts/actor.ts';
import { findTeam } from '../administrator.ts';
import { judgeStoredKeys, mustEncryptAs } from '../encryption/stored-keys.ts';
import { insist, Refusal } from '../refusal.ts';
import { readChildren } from '../zones/children.ts';
import { readHeld } from './administration.ts';
import { askNodes } from './ask-nodes.ts';
import { type Choice, type Copy, chooseCopy, type Offer } from './salvage-choice.ts';
import { importSalvagedZone, readSalvagedRecords } from './salvage-import.ts';
import { openSentKeys, type SalvageEnd } from './salvage-parts.ts';

export interface SalvageOptions {
  /** The owner of zones whose owner the name servers do not prove, or of all of them: a team by name or id. */
  owner?: string | undefined;
  /** Creates that team if there is none. */
  createTeam?: boolean | undefined;
  /** Only the copies of this node count. */
  node?: string | undefined;
  dryRun?: boolean | undefined;
  /** Encrypts the private keys. */
  keyring: Keyring;
}

/** The result for one zone. */
export interface SalvageResult {
  zone: string;
  /** `present`: the database has it already. */
  outcome: 'salvaged' | 'present' | 'failed';
  /** A sentence without a period: where it came from, or why it failed. */
  text: string;
}

/** Zones of one request. MAX_SALVAGED of the contract bounds them. */
const AT_ONCE = 20;

/**
 * @param names zone names; parents are imported before the zones below them
 * @param onResult called for each zone when it is done
 * @throws Refusal bad_request (a name); Error if another administrator is at work, or no name server reports
 */
export async function adminSalvageZones(
  url: string,
  names: readonly string[],
  options: SalvageOptions,
  onResult: (result: SalvageResult) => void,
  signal: AbortSignal,
): Promise<void> {
  await withDatabase(url, async (db) => {
    if (!(await lockForSalvage(db))) throw new Error('another administrator brings back zones now; wait for the end');
    mustEncryptAs(judgeStoredKeys(await countStoredKeys(db), options.keyring));
    const service = await readSealSecret(db);
    if (service === null) throw new Error('no api has started with this database; start it first');
    const held = (await readHeld(db)).names;
    const ordered = [...new Set(names.map((name) => insist(parseZoneName(name))))].sort(
      (a, b) => a.length - b.length || (a < b ? -1 : 1),
    );
    try {
      for (let at = 0; at < ordered.length; at += AT_ONCE) {
        const some = ordered.slice(at, at + AT_ONCE);
        const ends = await askNodes(db, { zones: some }, signal);
        const offers = ends.map((end) => toOffer(end, options.keyring));
        for (const name of some) {
          signal.throwIfAborted();
          const work = { name, offers: offers.filter(({ zone }) => zone === name), held, service };
          onResult(await salvageOne(db, work, options));
        }
      }
    } finally {
      await closeSalvage(db);
    }
  });
}

function toOffer({ content, ...sent }: SentEnd, keyring: Keyring): Offer & { zone: string } {
  const end = content as SalvageEnd;
  if (!('privateKeys' in end)) return { ...sent, end };
  return { ...sent, end: { ...end, privateKeys: openSentKeys(end.privateKeys, keyring, sent.zone) } };
}

interface Work {
  name: string;
  offers: readonly Offer[];
  /** All zones that nodes hold. */
  held: readonly string[];
  service: { secret: Uint8Array; nameservers: string[] };
}

async function salvageOne(db: Db, work: Work, options: SalvageOptions): Promise<SalvageResult> {
  const { name, offers, service } = work;
  try {
    const [present] = await zonesNamed(db, [name]);
    if (present !== undefined)
      return {
        zone: name,
        outcome: 'present',
        text: `the database has it, with the key ${keyTagOfDs(present.ds[0] ?? '')}`,
      };
    const choice = chooseCopy(name, offers, service.secret, options.node);
    if (!choice.ok) return { zone: name, outcome: 'failed', text: dropUnprintable(choice.problem) };
    const text = await importCopy(db, work, choice.value, options);
    return { zone: name, outcome: 'salvaged', text: dropUnprintable(text) };
  } catch (error) {
    const text = error instanceof Refusal ? error.sentence : (error as Error).message;
    return { zone: name, outcome: 'failed', text: dropUnprintable(text) };
  }
}

/** @returns where the zone came from, and what it has */
async function importCopy(db: Db, work: Work, choice: Choice, options: SalvageOptions): Promise<string> {
  const { name, held, service } = work;
  const { copy, serial, others } = choice;
  const { keys, isSealed, end, node, instance } = copy;
  const { owner, label } = await findOwner(db, copy, options);
  const defaultTtl = isSealed ? (end.origin?.defaultTtl ?? DEFAULT_TTL) : DEFAULT_TTL;
  const state = isSealed ? (end.origin?.state ?? 'active') : 'active';
  const denial = isSealed ? (end.origin?.denial ?? DEFAULT_DENIAL) : DEFAULT_DENIAL;
  const hosted = await readChildren(db, { tree: orderName(name) });
  const children = [
    ...new Set([...hosted.map((child) => child.name), ...held.filter((each) => each.endsWith(`.${name}`))]),
  ];
  const parts = (await sentParts(db, instance, name)) as { sets: ServedSet[] }[];
  const records = await readSalvagedRecords(
    { name, defaultTtl, isSealed, end },
    parts.map(({ sets }) => sets),
    children,
  );
  const zone = { name, id: end.id, owner, state, defaultTtl, denial, keys, serial, isSealed, records, children };
  const { nameservers } = service;
  const context = { random: randomBytes, now: () => new Date(), nameservers, keyring: options.keyring };
  await importSalvagedZone(db, context, zone, options.dryRun === true);
  const proof = isSealed ? '' : `; nothing proves the key: compare it with the DS at the parent`;
  const differing = others.length === 0 ? '' : `; ${others.join(', ')} had other records`;
  const what = `${records.length} records and the ${formatKeys(keys)} from ${node}, for ${label}`;
  return `${what}${proof}${differing}`;
}

function formatKeys(keys: Copy['keys']): string {
  return `${keys.length === 1 ? 'key' : 'keys'} ${keys.map(keyTag).join(', ')}`;
}

/** @throws Error if nothing proves the owner and the command does not name it, or the owner does not exist */
async function findOwner(
  db: Db,
  { isSealed, end }: Copy,
  options: SalvageOptions,
): Promise<{ owner: Owner; label: string }> {
  return db.transaction(async (tx) => {
    if (options.owner !== undefined) {
      const team = await findTeam(tx, { team: options.owner, createTeam: options.createTeam }, randomBytes);
      return { owner: { teamId: team.id, userId: null }, label: `the team ${team.name}` };
    }
    const origin = isSealed ? end.origin : null;
    if (origin === null) throw new Error('nothing proves whose zone it is; name its team with --owner');
    if (origin.team !== null) {
      const team = await lockTeam(tx, origin.team);
      if (team === null)
        throw new Error(`its team ${origin.team} is not in the database; name another team with --owner`);
      return { owner: { teamId: team.id, userId: null }, label: `the team ${team.name}` };
    }
    const id = origin.user ?? '';
    if (!(await isPerson(tx, id))) throw new Error(`its owner ${id} is not in the database; name a team with --owner`);
    return { owner: { teamId: null, userId: id }, label: `the person ${id}` };
  });
}
