// The DNSSEC keys of a zone and the roll that is under way, as answers show them.

import type { SigningAlgorithm } from '#dns/dnssec/algorithms.ts';
import { currentStep } from '#dns/dnssec/key-roll.ts';
import type { KeyState } from '#dns/dnssec/key-states.ts';
import { dnskeyText, keyTag } from '#dns/dnssec/signing-key.ts';
import { listZoneKeys, type ZoneKeyRow } from '#store/zone-keys.ts';
import type { Actor } from '../accounts/actor.ts';
import type { ServiceContext } from '../context.ts';
import { seeZone } from '../zones/zones.ts';

export interface ZoneKeyView {
  keyTag: number;
  algorithm: SigningAlgorithm;
  state: KeyState;
  /** When it got this state. */
  since: string;
  /** When it was made or imported. */
  createdAt: string;
  /** When a roll that would have replaced it was cancelled last; null: none was. */
  rollCancelledAt: string | null;
  /** The RDATA of its DNSKEY record. */
  dnskey: string;
}

export interface KeyRollView {
  /** The key that comes, or that goes if none comes. */
  keyTag: number;
  /** Its state. */
  step: KeyState;
  since: string;
  /** The server and the value that it waits for, as the end of a sentence. */
  waitsFor: string;
  /** When the next step is taken if the servers continue to show this one; null: not all of them show it. */
  nextStepAt: string | null;
  canCancel: boolean;
}

export interface ZoneKeysView {
  keys: ZoneKeyView[];
  roll: KeyRollView | null;
}

/** @throws Refusal no_zone */
export async function readZoneKeys(context: ServiceContext, actor: Actor, zoneId: string): Promise<ZoneKeysView> {
  const zone = await seeZone(context, actor, zoneId, 'no_zone');
  return zoneKeysView(await listZoneKeys(context.db, zone.id));
}

export function zoneKeysView(rows: readonly ZoneKeyRow[]): ZoneKeysView {
  const keys = rows.map((row) => ({
    keyTag: keyTag(row),
    algorithm: row.algorithm,
    state: row.state,
    since: row.since.toISOString(),
    createdAt: row.createdAt.toISOString(),
    rollCancelledAt: row.rollCancelledAt?.toISOString() ?? null,
    dnskey: dnskeyText(row),
  }));
  const step = currentStep(rows);
  const carrier = rows.find(({ id }) => id === step?.carrier.id);
  if (step === null || carrier === undefined) return { keys, roll: null };
  const { shownSince, holdS } = carrier;
  const nextStepAt = shownSince === null || holdS === null ? null : new Date(shownSince.getTime() + holdS * 1000);
  const roll = {
    keyTag: keyTag(carrier),
    step: carrier.state,
    since: carrier.since.toISOString(),
    waitsFor: carrier.waitsFor ?? 'the first look at the servers',
    nextStepAt: nextStepAt?.toISOString() ?? null,
    canCancel: step.coming !== null,
  };
  return { keys, roll };
}
