// The secondaries of the service in memory: offers, and the choices of zone owners, as src/service/secondaries decides
// them.
import type { ApiError } from '#client/errors.ts';
import type { OfferedSecondary, ZoneSecondary } from '#contract/secondary.ts';
import type { Zone } from '#contract/zone.ts';

interface Server {
  readonly nameservers: string[];
  /** Namespaces; null: all. Undefined: it is not offered. */
  offered?: string[] | null | undefined;
}

export class MemorySecondaries {
  readonly servers = new Map<string, Server>();
  /** The choices of owners and of the administrator, by the id of the zone. */
  readonly chosen = new Map<string, string[]>();
  readonly listed = new Map<string, string[]>();

  offers(): OfferedSecondary[] {
    return [...this.servers].flatMap(([name, { nameservers, offered }]) =>
      offered === undefined ? [] : [{ name, nameservers, allZones: false, namespaces: offered }],
    );
  }

  ofZone(id: string): ZoneSecondary[] {
    const chosen = this.chosen.get(id) ?? [];
    const listed = this.listed.get(id) ?? [];
    return [...new Set([...chosen, ...listed])].sort().map((name) => ({
      name,
      nameservers: this.servers.get(name)?.nameservers ?? [],
      listedBy: listed.includes(name) ? 'administrator' : 'owner',
      chosen: chosen.includes(name),
      state: 'current',
    }));
  }

  /** @param refuse makes the refusal of the service @throws it */
  choose(id: string, names: readonly string[], refuse: (message: string) => ApiError): void {
    const before = this.chosen.get(id) ?? [];
    const offers = this.offers().map(({ name }) => name);
    const missing = names.find((name) => !before.includes(name) && !offers.includes(name));
    if (missing !== undefined) throw refuse(`${missing} is not offered; offered: ${offers.join(', ')}`);
    this.chosen.set(id, [...names]);
  }

  /** The name servers of the zone with those of its secondaries. */
  nameserversOf({ id, nameservers }: Zone): string[] {
    return [...new Set([...nameservers, ...this.ofZone(id).flatMap((each) => each.nameservers)])];
  }
}
