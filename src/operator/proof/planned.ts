// The cordons that the api told with its last answer about nodes. While the api is down, the last ones stay until they
// end by themselves.
import type { NodesAnswer } from '#client/node-questions.ts';
import type { ZoneNode } from '#contract/feed.ts';
import type { PlannedAbsence } from '#nameserver/probe/reach.ts';
import type { NameServer } from '#nameserver/probe/servers.ts';

export class PlannedAbsences {
  readonly #date: () => Date;
  #cordons: readonly PlannedAbsence[] = [];

  constructor(date: () => Date) {
    this.#date = date;
  }

  update({ nodes, cordons = [] }: NodesAnswer): void {
    if (nodes === null) return;
    this.#cordons = cordons.map(({ name, until, reason }) => ({ name, until: new Date(until), reason }));
  }

  /** The cordons that have not ended. */
  list(): readonly PlannedAbsence[] {
    const now = this.#date();
    return this.#cordons.filter(({ until }) => until > now);
  }

  /** The cordon of the name server, by its name or address; null without one. */
  of({ name, address }: NameServer): PlannedAbsence | null {
    return this.list().find((cordon) => cordon.name === name || cordon.name === address) ?? null;
  }

  /** A node that is cordoned may be behind; one of the others must remain. */
  withoutCordoned(nodes: readonly ZoneNode[]): readonly ZoneNode[] {
    const names = new Set(this.list().map(({ name }) => name));
    const others = nodes.filter(({ node }) => !names.has(node));
    return others.some(({ current }) => current) ? others : nodes;
  }
}
