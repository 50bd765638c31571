// The addresses that a node probes for health checks, and its votes. The list comes from the api, but the
// settings of the node decide whether it probes an address: an api in wrong hands must not make it scan the network of
// the node.
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { AddressState } from '#base/check-form.ts';
import { matchNetworks } from '#base/networks.ts';
import { createMayProbe, type MayProbe, type PortRange } from '#base/probes/allowed.ts';
import { newTrack, provenState } from '#base/probes/judge.ts';
import type { Probed } from '#base/probes/runner.ts';
import { probeBody } from '#contract/checks.ts';
import { MAX_VOTE_REASON, type Observations, type ProbeList } from '#contract/feed-probes.ts';

export type Vote = Observations['votes'][number];

export interface ProbeTarget extends Probed {
  probe: string;
  /** The vote of the node; Unknown: it has none. */
  vote: AddressState;
  /** When the last probe ended, in ms. */
  probedAt: number;
}

/** A vote without a new probe counts for so many intervals. */
const LAST_INTERVALS = 3;

/**
 * The rule of the api, and one more: the firewall of a machine lets the machine reach its own addresses.
 * @param networks those that may be probed although they are not public, also if they have an own address
 */
export function createNodeMayProbe(
  networks: readonly string[],
  ports: readonly PortRange[],
  listOwn: () => readonly string[] = listOwnAddresses,
): () => MayProbe {
  const mayProbe = createMayProbe(networks, ports);
  const isListed = matchNetworks(networks);
  return () => {
    const own = new Set(listOwn());
    return (address, definition) => {
      // A name would be resolved, and a zone names a network of this machine.
      if (isIP(address) === 0 || address.includes('%')) return 'This is not an address.';
      if (own.has(address) && !isListed(address)) return 'The address is one of this name server.';
      return mayProbe(address, definition);
    };
  };
}

function listOwnAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((each = []) => each.map(({ address }) => address));
}

export class ProbeTargets {
  readonly #byProbe = new Map<string, ProbeTarget>();
  /** The votes that the api does not have yet. */
  readonly #news = new Map<string, Vote>();

  get size(): number {
    return this.#byProbe.size;
  }

  /** Whether the api lacks votes. */
  get hasNews(): boolean {
    return this.#news.size > 0;
  }

  /**
   * Makes the targets those of the list, without those that the node cannot or may not probe: the api decides about
   * them, or the other name servers do.
   * @returns those that are new
   */
  update({ probes }: Pick<ProbeList, 'probes'>, mayProbe: MayProbe): ProbeTarget[] {
    const seen = new Set<string>();
    const newTargets: ProbeTarget[] = [];
    for (const { probe, owner, address, state, definition: text } of probes) {
      const { data: definition } = probeBody.safeParse(text);
      if (definition === undefined || mayProbe(address, definition) !== null) continue;
      seen.add(probe);
      const known = this.#byProbe.get(probe);
      if (known !== undefined) {
        known.definition = definition;
        continue;
      }
      const track = newTrack(state);
      const target: ProbeTarget = {
        ...{ probe, owner, address, definition, track, failure: null, isWanted: true, cancel: () => undefined },
        ...{ vote: 'Unknown', probedAt: 0 },
      };
      this.#byProbe.set(probe, target);
      newTargets.push(target);
    }
    for (const [probe, target] of this.#byProbe) if (!seen.has(probe)) this.#drop(probe, target);
    return newTargets;
  }

  /** Notes a probe. @returns whether the vote changed */
  note(target: ProbeTarget, now: number): boolean {
    target.probedAt = now;
    const state = provenState(target.track, target.definition);
    if (state === null || !target.isWanted) return false;
    target.track = { ...target.track, state };
    return this.#vote(target, state);
  }

  /** Takes back the votes about addresses that were not probed for long, because this process has too much to do. */
  takeBackOld(now: number, apartMs: number): void {
    for (const target of this.#byProbe.values()) {
      const { interval, timeout } = target.definition;
      const lastMs = LAST_INTERVALS * Math.max(interval * 1_000, apartMs) + timeout * 1_000;
      if (target.vote !== 'Unknown' && now > target.probedAt + lastMs) this.#vote(target, 'Unknown');
    }
  }

  /** The api has no vote of this node. */
  forgetReports(): void {
    this.#news.clear();
    for (const target of this.#byProbe.values()) if (target.vote !== 'Unknown') this.#tell(target);
  }

  /** At most `most` votes that the api lacks. */
  news(most: number): Vote[] {
    return this.#news.values().take(most).toArray();
  }

  /** The api has these votes now. A later one about the same address stays. */
  reported(votes: readonly Vote[]): void {
    for (const vote of votes) if (this.#news.get(vote.probe) === vote) this.#news.delete(vote.probe);
  }

  #vote(target: ProbeTarget, state: AddressState): boolean {
    if (target.vote === state) return false;
    target.vote = state;
    this.#tell(target);
    return true;
  }

  #tell({ probe, vote: state, failure }: ProbeTarget): void {
    const reason = state === 'Unhealthy' ? (failure?.slice(0, MAX_VOTE_REASON) ?? null) : null;
    this.#news.set(probe, { probe, state, reason });
  }

  #drop(probe: string, target: ProbeTarget): void {
    target.cancel();
    target.isWanted = false;
    this.#byProbe.delete(probe);
    this.#news.delete(probe);
  }
}
