// Checked addresses as answers show them. Pure.
import { createHash } from 'node:crypto';
import type { CheckDefinition } from '#base/probes/definition.ts';
import type { CheckChange } from '#store/check-changes.ts';
import { ALL_ADDRESSES, type LastingSignal } from '#store/check-signals.ts';
import type { Pin, TargetRow } from '#store/check-targets.ts';
import type { VoteCounts } from '#store/check-votes.ts';

export interface ListedCheck {
  name: string;
  owner: string;
  definition: CheckDefinition;
  counts: { healthy: number; unhealthy: number; unknown: number };
  revision: string;
  createdAt: string;
  updatedAt: string;
}

export interface CheckView extends ListedCheck {
  targets: TargetView[];
  changes: ChangeView[];
  signals: SignalView[];
}

export type ChangeView = Omit<CheckChange, 'at'> & { at: string };

export interface TargetView {
  address: string;
  state: TargetRow['state'];
  reason: string | null;
  since: string;
  down: boolean;
  pin: (Omit<Pin, 'until'> & { until: string }) | null;
  /** The votes of the name servers that decide; null: the api or a monitor decides. */
  nameServers: VoteCounts | null;
}

/** A signal of a monitor. */
export interface SignalView extends Pick<LastingSignal, 'state' | 'reason'> {
  /** Null: all addresses that have no signal of their own. */
  address: string | null;
  until: string;
}

export function toSignalView({ address, state, reason, until }: LastingSignal): SignalView {
  return { address: address === ALL_ADDRESSES ? null : address, state, reason, until: new Date(until).toISOString() };
}

export function toTargetView(row: TargetRow, nameServers: VoteCounts | null): TargetView {
  const { address, state, reason, since, down, pin } = row;
  const time = (ms: number) => new Date(ms).toISOString();
  const shownPin = pin && { ...pin, until: time(pin.until) };
  return { address, state, reason, since: time(since), down, pin: shownPin, nameServers };
}

export function toChangeView({ at, ...change }: CheckChange): ChangeView {
  return { ...change, at: new Date(at).toISOString() };
}

/** Another text after each change that a view shows. @param digest another text after each change of its addresses */
export function writeRevision(definition: CheckDefinition, digest: string): string {
  return createHash('sha256')
    .update(JSON.stringify([Object.entries(definition).sort(), digest]))
    .digest('base64url')
    .slice(0, 22);
}
