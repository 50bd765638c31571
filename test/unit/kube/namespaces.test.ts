// The number of namespaces with objects.
import { expect, it } from 'vitest';
import { createNamespaceCount } from '#kube/cache/namespaces.ts';
import type { KubeObject } from '#kube/objects/resource.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const inNamespaces = (...namespaces: string[]) => ({
  objects: namespaces,
  list(): KubeObject[] {
    return this.objects.map((namespace) => ({ metadata: { name: 'x', namespace } }) as KubeObject);
  },
});

it('counts each namespace once, and again after some seconds', async () => {
  const clock = new FakeClock();
  const zones = inNamespaces('a', 'b');
  const records = inNamespaces('b', 'b', 'c');
  const count = createNamespaceCount([zones, records], clock);
  expect(count()).toBe(3);
  records.objects.push('d');
  expect(count()).toBe(3);
  await clock.advance(5_000);
  expect(count()).toBe(4);
});
