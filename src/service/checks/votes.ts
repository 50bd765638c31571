// The votes of name servers in the memory of the process that decides. It reads the new ones, and judges their
// addresses again. A vote counts for as long as its name server reports, so the addresses are also judged without new
// votes.
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '#base/clock.ts';
import { listVantages, listVotes, type Vantage, type Vote } from '#store/check-votes.ts';
import type { Db } from '#store/database.ts';
import type { Flips } from './flips.ts';
import type { CheckerMetrics } from './metrics.ts';
import { MAX_PROBES } from './probe-list.ts';
import { isProbed, type ProbedTarget, type Targets } from './targets.ts';
import { decide, describeFailure, type VantageVote } from './vantage.ts';

interface VotesOptions {
  db: Db;
  clock: Clock;
  metrics: CheckerMetrics;
  targets: Targets;
  flips: Pick<Flips, 'look'>;
}

interface Member extends Pick<Vantage, 'keyId' | 'session' | 'part'> {
  /** In ms. */
  reportedAt: number;
  voteByProbe: Map<string, Vote>;
}

/** Votes of one name server in memory: those of probes that are gone stay until then. */
const MAX_VOTES = 2 * MAX_PROBES;
/** How often all addresses are judged, and how often the service looks for vantage points without any, in ms. */
const ROUND_MS = 500;

export class Votes {
  readonly #options: VotesOptions;
  #members: readonly Member[] = [];
  #roundAt = 0;

  constructor(options: VotesOptions) {
    this.#options = options;
  }

  /** The name servers that probe now. */
  get vantages(): number {
    return this.#members.length;
  }

  /** Reads the new votes, and judges their addresses. @throws an error of the database */
  async refresh(): Promise<void> {
    const { clock, metrics, targets } = this.#options;
    const isRound = clock.now() >= this.#roundAt;
    if (this.#members.length === 0 && !isRound) return;
    const before = this.#members;
    const { members, news } = await this.#read();
    this.#members = members;
    metrics.setVantages(members.length);
    const isSame = members.length === before.length && members.every((each) => before.some(isSameSession(each)));
    if (isSame && !isRound) {
      for (const vote of news) {
        const target = targets.find(vote);
        if (target !== undefined && isProbed(target)) this.#judge(target);
      }
      return;
    }
    this.#roundAt = clock.now() + ROUND_MS;
    for (const target of targets.all()) if (isProbed(target)) this.#judge(target);
  }

  clear(): void {
    this.#members = [];
    this.#options.metrics.setVantages(0);
  }

  async #read(): Promise<{ members: Member[]; news: Vote[] }> {
    const { db, clock } = this.#options;
    const members: Member[] = [];
    const news: Vote[] = [];
    for (const { ageMs, ...row } of await listVantages(db)) {
      const known = this.#members.find((each) => isSameSession(row)(each) && each.voteByProbe.size < MAX_VOTES);
      const member = { ...row, reportedAt: clock.now() - ageMs, voteByProbe: known?.voteByProbe ?? new Map() };
      members.push(member);
      if (known?.part === row.part) continue;
      for (const vote of await listVotes(db, row.keyId, known?.part ?? 0)) {
        member.voteByProbe.set(vote.probe, vote);
        news.push(vote);
      }
    }
    return { members, news };
  }

  #judge(target: ProbedTarget): void {
    const { clock, flips } = this.#options;
    const votes = this.#members.map(({ reportedAt, voteByProbe }): VantageVote | null => {
      const vote = voteByProbe.get(target.probe);
      return vote === undefined ? null : { ...vote, reportedAt };
    });
    const decision = decide(votes, target.definition.interval, clock.now());
    // Ten thousand new objects twice a second would fill the memory between two collections.
    if (isDeepStrictEqual(decision, target.decision)) return;
    // A take-over changes no state by itself: the probes before it do not count.
    if ((decision === null) !== (target.decision === null))
      target.track = { ...target.track, failures: 0, successes: 0 };
    if (decision !== null) target.failure = decision.state === 'Unhealthy' ? describeFailure(decision) : null;
    target.decision = decision;
    flips.look(target);
  }
}

function isSameSession({ keyId, session }: Pick<Vantage, 'keyId' | 'session'>) {
  return (member: Member): boolean => member.keyId === keyId && member.session === session;
}
