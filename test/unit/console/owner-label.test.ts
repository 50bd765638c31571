// Owners in words: objects by kind and name, clusters by name or by the first digits of their uid.
import { expect, test } from 'vitest';
import { isUnnamedCluster, labelCluster, labelOwner, labelOwners, nameOwners } from '#console/shell/owner-label.ts';
import { render } from '../../support/console/render.ts';

const UID = 'eb19f4ba-97d4-4fb2-b610-1e6ef9de89ce';

test('an owner is the object that the reader knows, with its cluster in the title', () => {
  expect(labelOwner('k8s:prod/default/mail')).toEqual({
    ...{ text: 'default/mail', kind: 'DNSRecord', title: 'DNSRecord default/mail in the cluster prod' },
  });
  expect(labelOwner(`k8s:${UID}/default/mail`).title).toBe('DNSRecord default/mail in the cluster eb19f4ba');
});
test('an owner that is not an object is shown as it is written', () =>
  expect(labelOwner('external-dns:web')).toEqual({ text: 'external-dns:web', kind: null, title: 'external-dns:web' }));
test('an owner of a zone is the object that manages it', () =>
  expect(labelOwner('DNSZone shop/site')).toEqual({ text: 'shop/site', kind: 'DNSZone', title: 'DNSZone shop/site' }));
test('an owner with a long name is cut after 60 characters', () => {
  const { text } = labelOwner(`k8s:prod/default/${'x'.repeat(200)}`);
  expect(text.length).toBe(61);
});
test('owners of one record are labels of their own, and a sentence names them all', () => {
  expect(labelOwners('k8s:a/x/y, program:z').map(({ text }) => text)).toEqual(['x/y', 'program:z']);
  expect(labelOwners(null)).toEqual([]);
  expect(nameOwners('k8s:a/x/y, program:z')).toBe('DNSRecord x/y in the cluster a, program:z');
});
test('a cluster without a name has the first digits of its uid', () => {
  expect([isUnnamedCluster(UID), labelCluster(UID)]).toEqual([true, 'eb19f4ba']);
  expect([isUnnamedCluster('eb19f4ba'), labelCluster('prod-1')]).toEqual([false, 'prod-1']);
  expect(render('shell/partials/cluster', { name: UID })).toContain('operator.cluster');
  expect(render('shell/partials/cluster', { name: 'prod' }).trim()).toBe('prod');
});

const record = { id: 'rec_1', label: 'mail A', name: 'mail', type: 'A', content: '192.0.2.1', ttl: 60, priority: null };
const row = (managedBy: string | null) => render('records/row', { home: '/z', record: { ...record, managedBy } });

test('a managed record has no uid in its row, and one quiet link to the warning in place of the two of other records', () => {
  const managed = row(`k8s:${UID}/default/mail`);
  expect(managed).not.toContain(UID);
  expect(managed).toContain('title="DNSRecord default/mail in the cluster eb19f4ba"');
  expect(managed).toMatch(/class="quiet" href="\/z\/records\/rec_1\/edit"[^>]*>Managed …/);
  expect(managed).not.toContain('/delete');
  expect(row(null)).toMatch(/>Edit<[\s\S]*>Delete</);
});
