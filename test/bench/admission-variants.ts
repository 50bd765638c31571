// The CRDs and the records that the measurement of the rules compares.
import type { KubeApi } from '#kube/api/api.ts';
import { CRD } from '#kube/objects/crds.ts';
import type { KubeObject, ResourceType } from '#kube/objects/resource.ts';
import { DNS_RECORD } from '#resources/dnsrecord.ts';
import { CEL } from '#resources/rules.ts';
import { delay } from '../../deploy/local/parts/wait.ts';
import { numberedAddress } from './support.ts';

export interface Crd extends KubeObject {
  readonly spec: { readonly group: string };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

export interface Variant {
  readonly title: string;
  readonly type: ResourceType;
}

/** One value of each shape; `n` makes the contents differ. */
const SHAPES: readonly ((n: number) => object)[] = [
  (n) => ({ type: 'A', content: numberedAddress(n) }),
  (n) => ({ type: 'AAAA', content: `2001:db8::${(n % 65_536).toString(16)}` }),
  (n) => ({ type: 'CNAME', content: `host${n}.example.net` }),
  (n) => ({ type: 'TXT', content: `v=spf1 include:spf${n}.example.net -all` }),
  (n) => ({ type: 'MX', content: `mail${n}.example.net`, priority: 10 }),
  (n) => ({ type: 'A', values: [{ content: numberedAddress(n) }, { content: numberedAddress(n + 1) }] }),
  (n) => ({ type: 'SRV', content: `10 20 ${n % 65_536} sip.example.net` }),
  (n) => ({ type: 'TXT', values: [{ content: `one${n}` }, { content: `"two ${n}"` }] }),
];

/** Parts of a spec. */
export const MIXES: Readonly<Record<string, (n: number) => object>> = {
  'A records': (n) => ({ type: 'A', content: numberedAddress(n) }),
  'eight shapes': (n) => SHAPES[n % SHAPES.length]?.(n) ?? {},
};

export function withoutRules(crd: Crd): Crd {
  return JSON.parse(JSON.stringify(crd, (key, value) => (key === CEL ? undefined : value))) as Crd;
}

let installed = 0;

/** Installs the CRD under a group of its own, and waits until it is served. */
export async function installAs(api: KubeApi, title: string, crd: Crd, signal: AbortSignal): Promise<Variant> {
  installed += 1;
  const group = `variant${installed}.test`;
  const name = `${DNS_RECORD.plural}.${group}`;
  await api.apply(CRD, { ...crd, metadata: { name }, spec: { ...crd.spec, group } }, { fieldManager: 'bench' }, signal);
  for (;;) {
    const { status } = await api.get<Crd>(CRD, { name }, signal);
    if (status?.conditions?.some((each) => each.type === 'Established' && each.status === 'True')) break;
    await delay(50, signal);
  }
  return { title, type: { ...DNS_RECORD, group } };
}
