// The DNSSEC keys of the zones of the service in memory: rolls by the rules of src/dns/dnssec, whose steps a test
// takes.
import { ApiError } from '#client/errors.ts';
import { beginKeyRoll, getZoneKeys } from '#contract/operations/zone-keys.ts';
import type { CreatedKey, ZoneCreateBody } from '#contract/zone.ts';
import type { ZoneKeys } from '#contract/zone-keys.ts';
import { applyMoves, currentStep, firstState, planCancel, type RollKey } from '#dns/dnssec/key-roll.ts';
import { DEFAULT_ALGORITHM, dnskeyText, keyTag, type NewKeyAlgorithm } from '#dns/dnssec/signing-key.ts';
import { on, type Reply } from '../service/fake-client.ts';

interface MemoryKey extends RollKey {
  readonly tag: number;
  readonly since: Date;
  readonly createdAt: Date;
  readonly rollCancelledAt: Date | null;
}

const UNDER_WAY = {
  status: 409,
  code: 'conflict',
  message: 'A key roll is under way.',
  retryAfterMs: null,
  requestId: null,
};

export class MemoryKeys {
  now = () => new Date('2026-11-21T12:00:00.000Z');
  /** The server and the value that each roll waits for. */
  waitsFor = 'ns1.zonestead.test, without the key in its DNSKEY RRset';
  /** The key in the answer to a creation. */
  ofCreation?: (body: ZoneCreateBody) => CreatedKey;
  /** The tags of keys that zones have got at their creation, by id. */
  readonly #createdTags = new Map<string, number>();
  readonly #keys = new Map<string, MemoryKey[]>();
  readonly #service: { version: number };

  /** @param service its version grows with each change */
  constructor(service: { version: number }) {
    this.#service = service;
  }

  create(zoneId: string, body: ZoneCreateBody): CreatedKey | undefined {
    const key = this.ofCreation?.(body);
    if (key !== undefined) this.#createdTags.set(zoneId, key.keyTag);
    return key;
  }

  view(zoneId: string): ZoneKeys {
    const keys = this.#of(zoneId);
    const step = currentStep(keys);
    const carrier = keys.find(({ id }) => id === step?.carrier.id);
    return {
      keys: keys.map((key) => ({
        keyTag: key.tag,
        algorithm: key.algorithm,
        state: key.state,
        since: key.since.toISOString(),
        createdAt: key.createdAt.toISOString(),
        rollCancelledAt: key.rollCancelledAt?.toISOString() ?? null,
        dnskey: dnskeyText(key),
      })),
      roll:
        carrier === undefined
          ? null
          : {
              keyTag: carrier.tag,
              step: carrier.state,
              since: carrier.since.toISOString(),
              waitsFor: this.waitsFor,
              nextStepAt: null,
              canCancel: step?.coming !== null,
            },
    };
  }

  /** @throws the refusal of the service while a roll is under way */
  begin(zoneId: string, algorithm: NewKeyAlgorithm = DEFAULT_ALGORITHM): ZoneKeys {
    const keys = this.#of(zoneId);
    if (currentStep(keys) !== null) throw new ApiError(UNDER_WAY);
    this.#set(zoneId, [...keys, this.#make(keys, algorithm, firstState(algorithm, keys))]);
    return this.view(zoneId);
  }

  /** Takes the next step, as a proof would. */
  step(zoneId: string): void {
    const keys = this.#of(zoneId);
    this.#move(zoneId, keys, currentStep(keys)?.next ?? []);
  }

  /** Takes all steps. */
  finish(zoneId: string): void {
    while (this.view(zoneId).roll !== null) this.step(zoneId);
  }

  cancel(zoneId: string): void {
    const at = this.now();
    const keys = this.#of(zoneId).map((key) => (key.state === 'active' ? { ...key, rollCancelledAt: at } : key));
    this.#move(zoneId, keys, planCancel(keys) ?? []);
  }

  #move(zoneId: string, keys: readonly MemoryKey[], moves: Parameters<typeof applyMoves>[1]): void {
    const since = this.now();
    const moved = applyMoves(keys, moves);
    this.#set(
      zoneId,
      moved.map((key) =>
        keys.some(({ id, state }) => id === key.id && state === key.state) ? key : { ...key, since },
      ),
    );
  }

  #set(zoneId: string, keys: MemoryKey[]): void {
    this.#keys.set(zoneId, keys);
    this.#service.version += 1;
  }

  #of(zoneId: string): MemoryKey[] {
    const known = this.#keys.get(zoneId);
    if (known !== undefined) return known;
    const first = this.#make([], DEFAULT_ALGORITHM, 'active');
    const keys = [{ ...first, tag: this.#createdTags.get(zoneId) ?? first.tag }];
    this.#keys.set(zoneId, keys);
    return keys;
  }

  /** The octets are of no private key: nothing is signed here. */
  #make(keys: readonly MemoryKey[], algorithm: NewKeyAlgorithm, state: RollKey['state']): MemoryKey {
    const id = Math.max(0, ...keys.map((key) => key.id)) + 1;
    const publicKey = Buffer.alloc(algorithm === 15 ? 32 : 64, id).toString('base64');
    const at = this.now();
    const tag = keyTag({ algorithm, publicKey });
    return { id, algorithm, publicKey, state, tag, since: at, createdAt: at, rollCancelledAt: null };
  }
}

export function replyAboutKeys(
  keys: MemoryKeys,
  call: <T>(what: string, work: () => T) => Promise<T>,
  mustExist: (zoneId: string) => void,
): Reply[] {
  return [
    on(getZoneKeys, ({ params: { id } }) =>
      call(`keys ${id}`, () => {
        mustExist(id);
        return keys.view(id);
      }),
    ),
    on(beginKeyRoll, ({ params: { id }, body: { algorithm } }) =>
      call(`roll ${id}`, () => {
        mustExist(id);
        return keys.begin(id, algorithm);
      }),
    ),
  ];
}
