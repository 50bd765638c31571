// The reports of name servers about the addresses that they probe. A node key has one vote, however many nodes use it,
// so a stolen key is at most one of the vantage points. A report about an address that the service did not give out is
// dropped.
import { dropUnprintable } from '#base/printable.ts';
import { beginVotes, listVantages, renewVotes, type Vote, writeVotes } from '#store/check-votes.ts';
import type { Db } from '#store/database.ts';
import type { NodeActor } from '../nodes/keys.ts';
import type { ProbeList, ProbeLists } from './probe-list.ts';

/** `observations` of the contract. */
interface Observations {
  node: string;
  session: string;
  part: number;
  votes: readonly Pick<Vote, 'probe' | 'state' | 'reason'>[];
}

interface ObservationsReply {
  /** False: the node begins a new session, and reports all it knows. */
  known: boolean;
  /** The version of the list; null: the node does not probe. */
  probes: string | null;
}

const EMPTY_LIST: ProbeList = { version: '', apartMs: 0, probes: [] };

/** The part of a service that talks with the name servers that probe. */
export class Vantages {
  readonly #db: Db;
  readonly #lists: ProbeLists;

  constructor(db: Db, lists: ProbeLists) {
    this.#db = db;
    this.#lists = lists;
  }

  /** Stores a report. Without votes it says that the votes before it still hold. */
  async take({ keyId }: NodeActor, { node, session, part, votes }: Observations): Promise<ObservationsReply> {
    const own = { keyId, node, session };
    const isBegin = part === 0 && votes.length === 0;
    const stored = isBegin ? [] : await this.#find(votes);
    const known = await this.#db.transaction(async (tx) => {
      if (isBegin) return beginVotes(tx, own);
      // A part comes again if the answer to it was lost.
      const last = await renewVotes(tx, own, [part, votes.length === 0 ? part : part + 1]);
      if (last === part && votes.length > 0) await writeVotes(tx, keyId, stored, part + 1);
      return last !== null;
    });
    if (!known) return { known, probes: null };
    const members = await listVantages(this.#db);
    const isMember = members.some((member) => member.keyId === keyId);
    return { known, probes: isMember ? await this.#lists.version(members.length) : null };
  }

  /** The probes of the node; none if it does not probe. */
  async list({ keyId }: NodeActor): Promise<ProbeList> {
    const members = await listVantages(this.#db);
    return members.some((member) => member.keyId === keyId) ? this.#lists.list(members.length) : EMPTY_LIST;
  }

  async #find(votes: Observations['votes']): Promise<Vote[]> {
    const byProbe = new Map<string, Vote>();
    for (const { probe, state, reason } of votes) {
      const key = await this.#lists.find(probe);
      if (key === undefined) continue;
      const { owner, checkName, address } = key;
      byProbe.set(probe, {
        ...{ owner, checkName, address, probe, state },
        reason: reason === null ? null : dropUnprintable(reason),
      });
    }
    return [...byProbe.values()];
  }
}
