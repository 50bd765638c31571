// The error of a name server as the owner of a zone may read it. The text comes from the name server, so nothing
// guarantees that it names neither another team's zone nor an address or a path of the operator's network. Pure.

export const GENERAL_TEXT =
  'the name server failed to apply the zone and retries; an administrator finds the cause with `zonestead admin nodes list`';
/** A domain name, an address, a path, or the id of something. */
const NAMES_SOMETHING = /[^.][.:][^.]|[/\\]|_[0-9a-z]{6}/i;
const MAX_LENGTH = 200;

/**
 * The text without the name of the zone at its beginning, or a general one if it may name something outside of the
 * zone.
 */
export function textForOwner(error: string, zoneName: string): string {
  const plain = error.startsWith(`${zoneName}: `) ? error.slice(zoneName.length + 2) : error;
  const words = plain.split(/[\s"'`(),;]+/).map((word) => word.toLowerCase().replace(/[.:]+$/, ''));
  const isForeign = (word: string) => word !== zoneName && !word.endsWith(`.${zoneName}`) && NAMES_SOMETHING.test(word);
  return words.some(isForeign) ? GENERAL_TEXT : plain.replaceAll(/\s+/g, ' ').slice(0, MAX_LENGTH);
}
