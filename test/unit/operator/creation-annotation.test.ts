// The ledger in an annotation, which counts while the status has none, and only with the operator's seal for this
// object.
import { describe, expect, it } from 'vitest';
import { createSeal, creationAnnotationOf, ledgerOf } from '#operator/record/creation-annotation.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import { CREATION_ANNOTATION } from '#resources/names.ts';
import { aRecord } from '../../support/operator/build.ts';

const seal = createSeal('key');
const ENTRIES = [{ content: '192.0.2.1', priority: null, intent: 'nonce1' }];
const object = aRecord({}, { uid: 'uid-1' });
const annotated = (annotation: string, uid = 'uid-1'): DNSRecord =>
  aRecord({}, { uid, annotations: { [CREATION_ANNOTATION]: annotation } });
const annotation = creationAnnotationOf(object, 'zone_1', ENTRIES, seal) as string;

describe('an announced creation', () => {
  it('is the ledger of the object that it was created for', () => {
    expect(ledgerOf(annotated(annotation), seal)).toEqual({ zoneId: 'zone_1', entries: ENTRIES });
  });

  it.each([
    ['another object with a copy of it', annotated(annotation, 'uid-2')],
    ['an annotation with another seal', annotated(annotation.replace(/^\S/, (first) => (first === 'A' ? 'B' : 'A')))],
    [
      'an annotation with the seal of another key',
      annotated(creationAnnotationOf(object, 'zone_1', ENTRIES, createSeal('other')) ?? ''),
    ],
    ['an annotation with an empty seal', annotated(annotation.slice(annotation.indexOf(' ')))],
    ['an annotation without a seal', annotated(annotation.slice(annotation.indexOf(' ') + 1))],
    ['an annotation for another zone under the seal', annotated(annotation.replace('zone_1', 'zone_2'))],
    ['an annotation with additional text', annotated(annotation.replace('192.0.2.1', '192.0.2.2'))],
  ])('is ignored in %s', (_case, forged) => {
    expect(ledgerOf(forged, seal).entries).toEqual([]);
  });

  it('is ignored once the status has a ledger', () => {
    const status = { conditions: [], zoneId: 'zone_1', records: [] };
    expect(ledgerOf({ ...annotated(annotation), status }, seal).entries).toEqual([]);
  });
});
