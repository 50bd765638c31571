// Sentences about a key for people: the risk of its permissions, and the programs that stop when it is revoked. Pure.
import type { KeyView } from '#service/credentials/keys.ts';

/** The risk of a valid key. Null: its permissions or its life are limited. */
export function describeRisk(
  key: Pick<KeyView, 'records' | 'onlyNames' | 'onlyTypes' | 'networks' | 'expiresAt'>,
): string | null {
  const isLimited = key.onlyNames !== null || key.onlyTypes !== null || key.networks !== null || key.expiresAt !== null;
  return key.records === 'write' && !isLimited ? 'writes all records from anywhere, and never expires' : null;
}

/** The consequence of a revocation, by the User-Agent of the last use. Null: the program is unknown. */
export function stopsWith(lastUsedBy: string | null): string | null {
  const [program] = lastUsedBy?.split(/[/\s]/) ?? [];
  switch (program) {
    case 'zonestead-operator':
      return 'The operator of a Kubernetes cluster uses this key. Without it, changes of DNSZone and DNSRecord objects no longer reach DNS, and after 60 seconds the cluster counts as lost. Give the operator another key first.';
    case 'zonestead-external-dns':
      return 'external-dns uses this key. Without it, changes of Services and Ingresses no longer reach DNS. Give it another key first.';
    case undefined:
    case '':
      return null;
    default:
      return `${program} used this key last. Its next request will be refused (401).`;
  }
}
