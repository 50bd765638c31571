// The subjects of trusts: the holders of tokens. Each has a row in api_keys without secret and without rights, to which
// history, write limits and last use belong.
import { columns, type Plain } from './column-lists.ts';
import { type Db, isStorable, type Tx } from './database.ts';
import { statement } from './statement.ts';
import { apiKeys, trusts } from './tables.ts';
import { SHARES_TOKENS, TRUST_KEYS, type TrustTerms } from './trusts.ts';

/** A trust for a token, with the subject of the token if the trust knows it. */
export interface TrustForToken extends TrustTerms {
  id: string;
  teamId: string;
  teamName: string;
  /** Whether the administrator of the service made it, and not a member of the team. */
  isAdministrators: boolean;
  /** Whether the administrator has a valid trust for this issuer and audience in another team. */
  isOutranked: boolean;
  /** The row of the subject; null: this is its first request. */
  keyId: string | null;
  pinnedUid: string | null;
  lastUsedAt: Date | null;
}

/** The unproved content of a token. */
export interface TokenAbout {
  issuer: string;
  subject: string;
  audiences: readonly string[];
  /** Its claims, as trusts.facts has those of a trust. */
  facts: readonly string[];
  /** The id of the key that it says it is signed with; null: it says none. */
  kid: string | null;
}

/** The trusts for one token that are tried: with more, an attacker could make every request slow. */
const MAX_TRUSTS = 64;

const trustColumns = columns(trusts, TRUST_KEYS, { alias: 't' });

type TrustColumns = Pick<TrustForToken, (typeof TRUST_KEYS)[number]>;
type Row = Omit<TrustForToken, keyof TrustColumns | 'lastUsedAt'> &
  Plain<TrustColumns> & { n: number; lastUsedAt: string | null };

const selectForTokens = statement<Row>(`
  select a.n, t.*, s.id as "keyId", s.pinned_uid as "pinnedUid", s.last_used_at as "lastUsedAt"
  from jsonb_to_recordset($1::text::jsonb) as a(n integer, issuer text, subject text, audiences text[], facts text[],
    kid text)
  cross join lateral (
    select ${trustColumns.list}, e.name as "teamName",
      coalesce((select json_agg(json_build_object('zoneId', g.zone_id, 'records', g.records))
        from trust_zone_grants g where g.trust_id = t.id), '[]') as grants,
      t.created_by is null as "isAdministrators",
      t.created_by is not null and exists (select from trusts o where o.created_by is null and o.team_id <> t.team_id
        and o.issuer = t.issuer and o.audience = t.audience and ${SHARES_TOKENS('o', 't.kids', 'now()')}) as "isOutranked"
    from trusts t join teams e on e.id = t.team_id
    where t.issuer = a.issuer and t.revoked_at is null and t.facts <@ a.facts and (t.kids is null or a.kid = any(t.kids))
    order by t.audience = any(a.audiences) desc, t.created_by is not null, t.created_at, t.id limit ${MAX_TRUSTS}) t
  left join api_keys s on s.trust_id = t.id and s.subject = a.subject`);

/**
 * For each token, the trusts that may accept it, in one statement: those for one of its audiences first, because those
 * of other teams for another audience could be MAX_TRUSTS. Among them, those of the administrator come first, and then
 * the oldest.
 */
export async function trustsForTokens(db: Db, tokens: readonly TokenAbout[]): Promise<TrustForToken[][]> {
  const trustLists: TrustForToken[][] = tokens.map(() => []);
  for (const { n, lastUsedAt, ...row } of await selectForTokens(db, JSON.stringify(tokens.map(numbered)))) {
    trustLists[n]?.push({ ...trustColumns.read(row), lastUsedAt: dateOf(lastUsedAt) });
  }
  return trustLists;
}

const numbered = (token: TokenAbout, n: number) => ({ n, ...token });
const dateOf = (text: string | null): Date | null => (text === null ? null : new Date(text));

// No secret has this hash: a secret is needed for every key.
const NO_SECRET = "decode(repeat('00', 32), 'hex')";

const insert = statement<{ id: string }>(`
  insert into api_keys (id, team_id, name, secret_hash, records, manage_zones, trust_id, subject, pinned_uid, created_at)
  select $1, t.team_id, $2, ${NO_SECRET}, 'none', 'none', t.id, $4, $5, $6::timestamptz
  from trusts t where t.id = $3 and (select count(*) from api_keys k where k.trust_id = t.id) < $7::integer
  on conflict (trust_id, subject) where trust_id is not null do nothing returning id`);

const select = statement<{ id: string; pinnedUid: string | null }>(
  `select id, pinned_uid as "pinnedUid" from api_keys where trust_id = $1 and subject = $2`,
);

/** Stores a subject, unless the trust knows it. @returns null: the trust has `limit` subjects */
export async function ensureSubject(
  db: Db,
  subject: { id: string; name: string; trustId: string; subject: string; uid: string | null; at: Date },
  limit: number,
): Promise<{ id: string; pinnedUid: string | null } | null> {
  const { id, name, trustId, uid, at } = subject;
  const [insertedRow] = await insert(db, id, name, trustId, subject.subject, uid, at.toISOString(), limit);
  if (insertedRow !== undefined) return { id, pinnedUid: uid };
  return (await select(db, trustId, subject.subject))[0] ?? null;
}

const pin = statement<{ pinnedUid: string | null }>(`
  update api_keys set pinned_uid = coalesce(pinned_uid, $2) where id = $1 returning pinned_uid as "pinnedUid"`);

/** Pins the UID of a subject that has none. @returns the pinned one */
export async function pinSubject(db: Db, keyId: string, uid: string): Promise<string | null> {
  return (await pin(db, keyId, uid))[0]?.pinnedUid ?? null;
}

const accept = statement<{ before: string | null }>(`
  with old as (select id, pinned_uid from api_keys where trust_id = $1 and subject = $2 for update)
  update api_keys k set pinned_uid = $3 from old where k.id = old.id returning old.pinned_uid as before`);

/**
 * Replaces the pinned UID of a subject.
 * @param uid null: that of its next request
 * @returns the UID before; undefined: the trust has no such subject
 */
export async function repinSubject(
  tx: Tx,
  trustId: string,
  subject: string,
  uid: string | null,
): Promise<string | null | undefined> {
  if (!isStorable(subject)) return undefined;
  return (await accept(tx, trustId, subject, uid))[0]?.before;
}

const rename = statement(`
  update api_keys set name = $2 || ': ' || subject where trust_id = $1`);

/** The names of the subjects in the history begin with that of the trust. */
export async function renameSubjects(tx: Tx, trustId: string, name: string): Promise<void> {
  await rename(tx, trustId, name);
}

export interface SubjectRow {
  subject: string;
  /** The id in the history, and in the logs. */
  keyId: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  /** The User-Agent of that use. */
  lastUsedBy: string | null;
  pinnedUid: string | null;
}

const subjectColumns = columns(apiKeys, ['subject', 'createdAt', 'lastUsedAt', 'lastUsedBy', 'pinnedUid']);

type SubjectColumns = Omit<SubjectRow, 'keyId'>;

const selectSubjects = statement<Plain<SubjectColumns> & { keyId: string }>(`
  select id as "keyId", ${subjectColumns.list}
  from api_keys where trust_id = $1 order by last_used_at desc nulls last, subject limit $2`);

/** The subjects that were used last come first. */
export async function listSubjects(db: Db | Tx, trustId: string, limit: number): Promise<SubjectRow[]> {
  return (await selectSubjects(db, trustId, limit)).map((row) => subjectColumns.read(row) as SubjectRow);
}
