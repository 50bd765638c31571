// Whether the secondaries of a zone have it, in words for conditions and messages. Pure. A text stays the same while
// the situation does, because conditions contain it.
import type { ZoneSecondary } from '#contract/secondary.ts';
import { plainName } from '#dns/names/plain.ts';
import { isLater } from '#dns/serial.ts';
import { SINCE_SECONDS, whole } from './zone-nodes.ts';

/** The serial in the answer of a name server, over DNS; null without one. */
interface SeenSerial {
  readonly name: string;
  readonly serial: number | null;
}

/**
 * Returns the names of the NS records that no secondary has added.
 * @param nameservers host names, with or without a final dot
 */
export function ownNameservers(
  nameservers: readonly string[],
  secondaries: readonly Pick<ZoneSecondary, 'nameservers'>[],
): string[] {
  const secondaryNames = new Set(secondaries.flatMap(({ nameservers: names }) => names.map(plainName)));
  return nameservers.filter((name) => !secondaryNames.has(plainName(name)));
}

/** The secondary that has added the name to the NS records; undefined if none has. */
function secondaryNamed(nameserver: string, secondaries: readonly ZoneSecondary[]): ZoneSecondary | undefined {
  return secondaries.find(({ nameservers }) => nameservers.map(plainName).includes(plainName(nameserver)));
}

/**
 * The serial that the secondary serves: the api tells that of one that is behind, its answers over DNS tell another
 * one's.
 * @returns null if no source tells
 */
export function secondarySerial(secondary: ZoneSecondary, seenSerials: readonly SeenSerial[]): number | null {
  const matchingSerial = seenSerials.find(
    ({ name, serial }) => serial !== null && secondaryNamed(name, [secondary]) !== undefined,
  );
  return secondary.serial ?? matchingSerial?.serial ?? null;
}

/** The problem of a secondary that does not have the last change of the zone; null if it has it. */
export function secondaryProblem({ name, state, since, reason }: ZoneSecondary, now: Date): string | null {
  if (state === 'current') return null;
  const why = reason === undefined ? '' : `: ${reason}`;
  if (state === 'unknown') return `the state of secondary ${name} is not known${why}`;
  const words = `secondary ${name} does not have the last change yet`;
  // It is catching up: the cause and the time would change with each question.
  if (since === undefined || now.getTime() - Date.parse(since) < SINCE_SECONDS * 1_000) return words;
  return `${words}${why} (behind since ${whole(since)})`;
}

/**
 * The problems of the secondaries whose names have a wrong answer. The answers over DNS decide: a report of the source
 * can be a moment older, and hidden secondaries do not count.
 * @param wrong the names of name servers with a problem
 */
export function secondariesLate(wrong: readonly string[], secondaries: readonly ZoneSecondary[], now: Date): string[] {
  const late = new Set(wrong.flatMap((name) => secondaryNamed(name, secondaries) ?? []));
  return [...late].flatMap((secondary) => secondaryProblem(secondary, now) ?? []);
}

/**
 * The secondaries with their answers over DNS in place of a report that is older than the last change: such a report,
 * which has no time since when, says nothing about the change.
 * @param serial the serial of the last change
 */
export function secondariesSeen(
  secondaries: readonly ZoneSecondary[],
  seenSerials: readonly SeenSerial[],
  serial: number,
): readonly ZoneSecondary[] {
  return secondaries.map((secondary) => {
    if (secondary.state !== 'behind' || secondary.since !== undefined) return secondary;
    const ownSerials = seenSerials.filter(({ name }) => secondaryNamed(name, [secondary]) !== undefined);
    const hasIt =
      ownSerials.length > 0 && ownSerials.every((each) => each.serial !== null && !isLater(serial, each.serial));
    if (!hasIt) return secondary;
    const { name, nameservers, listedBy, chosen } = secondary;
    return { name, nameservers, listedBy, chosen, state: 'current' };
  });
}
