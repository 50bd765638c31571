// The probes that name servers have to do, the same in every process of the api: the addresses of all checks that may
// be probed.
import { createHash } from 'node:crypto';
import type { AddressState } from '#base/check-form.ts';
import type { Clock } from '#base/clock.ts';
import type { MayProbe } from '#base/probes/allowed.ts';
import type { CheckDefinition, ProbeDefinition } from '#base/probes/definition.ts';
import { ADDRESS_MS } from '#base/probes/lines.ts';
import { allTargets, type TargetKey, targetsVersion } from '#store/check-targets.ts';
import type { Db } from '#store/database.ts';
import { writeProbeId } from './probe-id.ts';
import { isProbedType, limitOfOwners } from './targets.ts';
import { shareFailures } from './vantage.ts';

/** The most addresses that name servers probe; the api decides about the others. */
export const MAX_PROBES = 50_000;

/** How long the list is used without a look at its version, and without reading it again, in ms. */
const LOOK_MS = 1_000;
const READ_MS = 30_000;

interface ListedProbe extends TargetKey {
  probe: string;
  state: AddressState;
  definition: ProbeDefinition;
}

/** `probeList` of the contract. */
export interface ProbeList {
  version: string;
  apartMs: number;
  probes: (Omit<ListedProbe, 'checkName' | 'definition'> & { definition: Record<string, unknown> })[];
}

interface ProbeListOptions {
  db: Db;
  clock: Clock;
  mayProbe: MayProbe;
}

/** Reads the list again when it has changed. */
export class ProbeLists {
  readonly #options: ProbeListOptions;
  #byId: ReadonlyMap<string, ListedProbe> = new Map();
  #digest = '';
  #version = '';
  #lookAt = Number.NEGATIVE_INFINITY;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(options: ProbeListOptions) {
    this.#options = options;
  }

  /** Changes with the list for so many vantage points. */
  async version(vantages: number): Promise<string> {
    await this.#refresh();
    return `${vantages}-${this.#digest}`;
  }

  /** The list for so many vantage points, which share the two probes a second of an address. */
  async list(vantages: number): Promise<ProbeList> {
    const version = await this.version(vantages);
    const probes = [...this.#byId.values()].map(({ probe, owner, address, state, definition }) => {
      const failures = shareFailures(definition.failures, vantages);
      return { probe, owner, address, state, definition: { ...definition, failures } };
    });
    return { version, apartMs: vantages * ADDRESS_MS, probes };
  }

  /** The address of a probe that is in the list. */
  async find(probe: string): Promise<TargetKey | undefined> {
    await this.#refresh();
    return this.#byId.get(probe);
  }

  async #refresh(): Promise<void> {
    const { db, clock } = this.#options;
    const now = clock.now();
    if (now < this.#lookAt) return;
    const version = await targetsVersion(db);
    this.#lookAt = now + LOOK_MS;
    if (version === this.#version && now < this.#readAt + READ_MS) return;
    const listed = await this.#read();
    this.#byId = new Map(listed.map((each) => [each.probe, each]));
    this.#digest = createHash('sha256')
      .update([...this.#byId.keys()].join(' '))
      .digest('base64url')
      .slice(0, 22);
    this.#version = version;
    this.#readAt = now;
  }

  async #read(): Promise<ListedProbe[]> {
    const { db, mayProbe } = this.#options;
    return limitOfOwners(await allTargets(db))
      .flatMap(({ owner, checkName, address, state, definition: stored }) => {
        const definition = stored as CheckDefinition;
        if (!isProbedType(definition) || mayProbe(address, definition) !== null) return [];
        const key = { owner, checkName, address };
        return [{ ...key, probe: writeProbeId(key, definition), state, definition }];
      })
      .slice(0, MAX_PROBES);
  }
}
