// The state of a zone as three chips: its name servers, its signatures, and its delegation; and a fourth one while the
// zone has dangling names. Pure.
import { countDangling, type DanglingView, hasMissingDomain } from '#service/dangling/list.ts';
import type { NodeOfZone } from '#service/nodes/living.ts';
import type { DelegationState } from '#service/zones/delegation.ts';

export interface Chip {
  text: string;
  /** The CSS class. Empty: nothing is known. */
  kind: 'done' | 'warn' | 'failed' | '';
  /** The page with more about it, below that of the zone. */
  path: '/live' | '/delegation' | '/dangling';
  /** A sentence. */
  title: string;
}

interface ZoneState {
  nodes: readonly NodeOfZone[];
  /** Null: the parent zone has not answered in time. */
  delegation: DelegationState | null;
  /** Whether the service asks parent zones. */
  isChecked: boolean;
  /** The first dangling names of the zone. */
  dangling: readonly Pick<DanglingView, 'missing'>[];
}

export function buildChips({ nodes, delegation, isChecked, dangling }: ZoneState): Chip[] {
  const signed = 'The zone has a DNSSEC key of its own, and name servers sign it.';
  return [
    chipOfNodes(nodes),
    { text: 'Signed', kind: 'done', path: '/delegation', title: signed },
    { path: '/delegation', ...chipOfDelegation(delegation, isChecked) },
    ...(dangling.length === 0 ? [] : [chipOfDangling(dangling)]),
  ];
}

/** Whether the owner of the zone has to do something at the registrar. */
export function isStepLeft(delegation: DelegationState | null): boolean {
  return delegation?.status === 'ds_required';
}

function chipOfNodes(nodes: readonly NodeOfZone[]): Chip {
  const [current, all] = [nodes.filter((node) => node.current).length, nodes.length];
  if (all === 0)
    return { text: 'Not served', kind: 'failed', path: '/live', title: 'No name server reports its state.' };
  const title = `${current} of ${all} name servers have the zone as it is stored.`;
  return { text: `Served ${current}/${all}`, kind: current === all ? 'done' : 'warn', path: '/live', title };
}

function chipOfDangling(dangling: ZoneState['dangling']): Chip {
  const title = 'Records point to names that do not exist.';
  const kind = hasMissingDomain(dangling) ? 'failed' : 'warn';
  return { text: countDangling(dangling), kind, path: '/dangling', title };
}

function chipOfDelegation(delegation: DelegationState | null, isChecked: boolean): Omit<Chip, 'path'> {
  if (delegation === null) {
    return { text: 'Delegation unknown', kind: '', title: 'The parent zone has not answered within 3 seconds.' };
  }
  const { status, seen, isHosted } = delegation;
  if (isHosted) return { text: 'Delegated', kind: 'done', title: 'The parent zone is served here.' };
  if (status === 'handshake_claim_required') {
    return { text: 'Claim missing', kind: 'warn', title: 'The root zone does not delegate this name.' };
  }
  if (seen === null) {
    return isChecked
      ? { text: 'Delegated', kind: 'done', title: 'The zone has no parent zone.' }
      : { text: 'Delegation not checked', kind: '', title: 'This service does not ask parent zones.' };
  }
  const chips = {
    secure: { text: 'Delegated', kind: 'done', title: 'The parent zone has the DS record of this zone.' },
    insecure: { text: 'DS missing', kind: 'warn', title: 'The parent zone knows the name, without our DS record.' },
    absent: { text: 'Not delegated', kind: 'warn', title: 'The parent zone does not know the name.' },
    unknown: { text: 'Delegation unknown', kind: '', title: 'The parent zone does not answer.' },
  } as const;
  return chips[seen];
}
