// Faults in the comments of records and zones.
import type { Fault } from '../fault.ts';
import { noticedBy } from './fault.ts';

const RULE = 'src/dns/comment.ts';
const TEXT = 'src/dns/plain-text.ts';
const EDIT = 'src/service/change/state.ts';
const CHANGE = 'src/service/change/locked.ts';
const ZONES = 'src/service/zones/properties.ts';
const COMMIT = 'src/store/zone-commit.ts';
const DECIDE = 'src/service/owners/decide.ts';
const POWERDNS = 'src/doors/powerdns/comments.ts';
const RRSETS = 'src/doors/powerdns/read-rrsets.ts';
const OPERATOR = 'src/operator/zone/reconcile.ts';

const rule = noticedBy('comments', 'test/unit/dns/comment.test.ts');
const api = noticedBy('comments', 'test/integration/doors/rest/records/comments.test.ts');
const owners = noticedBy('comments', 'test/integration/service/owners/comments.test.ts');
const powerdns = noticedBy('comments', 'test/integration/doors/powerdns/comments.test.ts');
const operator = noticedBy('comments', 'test/unit/operator/comments.test.ts');
const pages = noticedBy('comments', 'test/integration/console/zones.test.ts');
const manifests = noticedBy('comments', 'test/unit/resources/manifests.test.ts');

export const COMMENT_FAULTS: readonly Fault[] = [
  rule('control', 'a comment has line breaks', TEXT, String.raw`[\p{Cc}\p{Cs}`, String.raw`[\p{Cs}`),
  rule('surrogate', 'a comment has half of a character', TEXT, String.raw`\p{Cs}`, ''),
  rule('direction', 'a comment changes the direction of a page', TEXT, String.raw`\u202a-\u202e`, ''),
  rule('long', 'a comment has any length', RULE, 'if (length <= MAX_COMMENT)', 'if (true)'),
  rule('points', 'an emoji counts twice', RULE, '[...comment].length', 'comment.length'),
  rule('blank', 'a comment is blank', RULE, 'text?.trim() ??', 'text ??'),
  api(
    'serial',
    'a comment gives a zone a new serial',
    'src/service/change/judge.ts',
    'if (changesAnswers(result.entries)) serial = serialAfter(current',
    'serial = serialAfter(current',
  ),
  api('kept', 'a replacement without the field removes the comment', EDIT, 'comment = row.comment,', 'comment = null,'),
  api(
    'same',
    'the same comment again is a change',
    EDIT,
    'if (isComment && writtenRecord.comment === row.comment)',
    'if (false)',
  ),
  api('octets', 'comments are free', 'src/service/change/growth.ts', " + Buffer.byteLength(comment ?? '')", ''),
  api(
    'octets-alone',
    'a new comment alone is free',
    COMMIT,
    "', updated_at = $now::timestamptz, stored_bytes = z.stored_bytes + $bytes::bigint'",
    "', updated_at = $now::timestamptz'",
  ),
  api('name', 'the comments at one name have any size', EDIT, 'if (octets > MAX_COMMENTS)', 'if (false)'),
  api(
    'version',
    'a replica writes over the comment of another one',
    COMMIT,
    'update zones z set owners_version = z.owners_version + 1',
    'update zones z set owners_version = z.owners_version',
  ),
  api(
    'zone-serial',
    'the comment of a zone gives it a new serial',
    CHANGE,
    'bulk !== undefined || changesAnswers(entries)',
    'true',
  ),
  api(
    'zone-right',
    'every key changes the comment of a zone',
    ZONES,
    "mustManageZones(caller.actor);\n    mustMatchZone(caller, zone, context);\n    const answer = (after: ZoneRow) => zoneView(after, context.nameservers);\n    mustBeAsSeen('defaultTtl'",
    "mustMatchZone(caller, zone, context);\n    const answer = (after: ZoneRow) => zoneView(after, context.nameservers);\n    mustBeAsSeen('defaultTtl'",
  ),
  api(
    'zone-same',
    'the same comment of a zone again is a change',
    ZONES,
    'if (servedDifference === null && unservedDifference === null)',
    'if (false)',
  ),
  api(
    'import-octets',
    'an import counts kept comments out',
    'src/service/zonefile/apply.ts',
    'withComments: false',
    'withComments: true',
  ),
  api(
    'import-gone',
    'an import counts lost comments',
    'src/service/zonefile/apply.ts',
    'withComments: true',
    'withComments: false',
  ),
  api(
    'import-history',
    'the history of an import has no comments',
    'src/store/zone-values.ts',
    ".comment is null then '{}'",
    ".comment is not null then '{}'",
  ),
  owners('drift', 'an owner undoes the comments of others', DECIDE, 'if (set.comment === before) return comment;', ''),
  owners(
    'by-hand',
    'an owner takes back a comment of others',
    DECIDE,
    'return comment === before ? next : comment',
    'return next',
  ),
  owners(
    'next',
    'a record that loses an owner has no comment',
    DECIDE,
    'owners.find((each) => each.id !== ownSet?.id && each.comment !== null)?.comment ?? null',
    'null',
  ),
  owners(
    'report',
    'a comment is not written under the policy Report',
    DECIDE,
    'mineNow.flatMap((record) => commented(record, set, ownSet, here))',
    '[]',
  ),
  owners(
    'changed',
    'a new comment counts as a change of answers',
    'src/service/owners/judge-sets.ts',
    'changed: changesAnswers(entries.slice(before)), drift: decision.drift',
    'changed: entries.length > before, drift: decision.drift',
  ),
  powerdns(
    'extend',
    'EXTEND removes comments',
    RRSETS,
    "kind === 'REPLACE' ? commentsIn(fields, label) : null",
    'commentsIn(fields, label)',
  ),
  powerdns('alone', 'comments alone delete the records', RRSETS, 'records: null, comments', 'records: [], comments'),
  powerdns('lost', 'comments without a record are lost', POWERDNS, 'if (lostComment === undefined ||', 'if (true ||'),
  powerdns(
    'copied',
    'a client that copies what it read cannot remove a record',
    POWERDNS,
    'freeComments.slice(next).find((text) => !storedComments.has(text))',
    'freeComments[next]',
  ),
  powerdns(
    'all',
    'a single comment is that of one record',
    POWERDNS,
    'if (wantedComments.length === 1 &&',
    'if (false &&',
  ),
  powerdns(
    'without',
    'a request without comments removes them',
    POWERDNS,
    'if (wantedComments === null) return records;',
    '',
  ),
  powerdns(
    'search-once',
    'a search finds the comment of an RRset for each record',
    'src/store/record-search.ts',
    'distinct on (z.tree, r.ordername, r.type, r.comment) ',
    '',
  ),
  operator(
    'restart',
    'an annotation that changed while the operator was down is overlooked',
    'src/operator/record/owner.ts',
    'generation, instance, comment, retain, share, drift, whenClusterLost]',
    'generation, instance, retain, share, drift, whenClusterLost]',
  ),
  operator(
    'record-wrong',
    'a wrong annotation of a record is not told',
    'src/operator/record/desired.ts',
    'if (!comment.ok) return { ok: false, message: comment.problem.message };\n',
    'if (!comment.ok) return { ok: false, message: "" };\n',
  ),
  operator(
    'zone-wrong',
    'a wrong annotation of a zone is not told',
    OPERATOR,
    "if (!comment.ok) return { answer: no('InvalidSpec', comment.problem.message) };",
    '',
  ),
  operator(
    'zone-removed',
    'the comment stays without the annotation',
    OPERATOR,
    '?? (isOurs ? null : storedComment)',
    '?? storedComment',
  ),
  operator(
    'zone-adopted',
    'an adopted zone loses its comment',
    OPERATOR,
    '?? (isOurs ? null : storedComment)',
    '?? null',
  ),
  pages(
    'found',
    'the console does not find comments',
    'src/store/records.ts',
    '\n        or strpos(lower(',
    '\n        and strpos(lower(',
  ),
  manifests(
    'mixed',
    'manifests give all records of an RRset the comment of the first',
    'src/resources/manifests.ts',
    'more.every((record) => record.comment === comment)',
    'true',
  ),
];
