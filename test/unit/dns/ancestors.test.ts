// The zones above a zone in its chain of trust: their DS records against their keys, and the anchors of the root.
import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { type AncestorFound, judgeAncestors } from '#dns/dnssec/ancestors.ts';
import { computeKeyTag, dsDigest } from '#dns/dnssec/signing-key.ts';

const KEY = Uint8Array.from([1, 1, 3, 13, ...Buffer.alloc(64, 7)]);
/** The DS record of the key, as its registry would publish it (RFC 4034 section 5.1.4). */
const ds = (zone: string, key = KEY) => {
  const tag = computeKeyTag(key);
  return Uint8Array.from([tag >> 8, tag & 255, 13, 2, ...Buffer.from(dsDigest(zone, key, 2) ?? '', 'hex')]);
};
/** The key-signing key of the root of 2017 (https://data.iana.org/root-anchors/root-anchors.xml). */
const ROOT = Uint8Array.from([
  ...[1, 1, 3, 8],
  ...Buffer.from(
    'AwEAAaz/tAm8yTn4Mfeh5eyI96WSVexTBAvkMgJzkKTOiW1vkIbzxeF3+/4RgWOq7HrxRixHlFlExOLAJr5emLvN7SWXgnLh4+B5xQlNVz8Og8kvArMtNROxVQuCaSnIDdD5LKyWbRd2n9WGe2R8PzgCmr3EgVLrjyBxWezF0jLHwVN8efS3rCj/EWgvIWgb9tarpVUDK/b58Da+sqqls3eNbuv7pr+eoZG+SrDK6nWeL3c6H5Apxz7LjVc1uTIdsIXxuOLYA4/ilBmSVIzuDWfdRUfhHdY6+cn8HFRm+2hM8AnXGXws9555KrUB5qihylGa8subX2Nn6UwNR1AkUTV74bU=',
    'base64',
  ),
]);
const judge = (found: AncestorFound) => judgeAncestors([found])[0];

test('the root is valid with a key of its trust anchors', () => {
  const other = Uint8Array.from(ROOT);
  other[20] = (other[20] as number) ^ 1;
  expect(judge({ zone: '', ds: [], keys: [KEY, ROOT] })).toMatchObject({
    state: 'valid',
    entries: [{ keyTag: 20326 }],
  });
  expect(judge({ zone: '', ds: [], keys: [other] })).toMatchObject({ state: 'mismatch' });
});

test('a zone is valid if a DS record at its parent matches one of its keys', () => {
  expect(judge({ zone: 'org', ds: [ds('org')], keys: [KEY] })).toMatchObject({
    state: 'valid',
    entries: [{ keyTag: computeKeyTag(KEY), algorithm: 13, state: 'valid' }],
  });
  expect(judge({ zone: 'org', ds: [ds('net')], keys: [KEY] })).toMatchObject({ state: 'mismatch', entries: [] });
});

test('a zone without keys or without a DS record ends the chain, with the reason', () => {
  expect(judge({ zone: 'org', ds: [], keys: [KEY] })).toMatchObject({
    state: 'missing',
    reason: 'The parent of org has no DS record for it, so resolvers validate nothing below it.',
  });
  expect(judge({ zone: 'org', ds: [], keys: [] })?.reason).toContain('The zone org is not signed');
});

test('a zone is unknown if no resolver answers', () => {
  expect(judge({ zone: 'org', ds: null, keys: [KEY] })).toMatchObject({ state: 'unknown' });
  expect(judge({ zone: '', ds: null, keys: null })).toMatchObject({ state: 'unknown' });
});
