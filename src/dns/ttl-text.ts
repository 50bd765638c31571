// A TTL as people write it. Pure, and without imports: the command line reads it before it loads the rules of records.

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };

/**
 * Seconds, or a sum of times with units as other name servers have them (`1h30m`); null for any other word. The range
 * is checked elsewhere.
 */
export function parseTtlText(text: string): number | null {
  if (/^[0-9]{1,10}$/.test(text)) return Number(text);
  if (text.length > 40 || !/^(?:[0-9]+[smhdw])+$/i.test(text)) return null;
  const parts = text.toLowerCase().matchAll(/([0-9]+)([smhdw])/g);
  return [...parts].reduce((sum, [, amount, unit]) => sum + Number(amount) * UNITS[unit!]!, 0);
}
