// Zone ids of the PowerDNS API: the name with its final dot, in which `=2F` stands for a slash. Pure.

/** The characters that an id has as they are. */
const PLAIN = /[^A-Za-z0-9.-]/g;

/** @param name canonical */
export function encodeZoneId(name: string): string {
  const escapedName = name.replace(
    PLAIN,
    (char) => `=${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
  return `${escapedName}.`;
}

/** The name in an id, with or without its final dot. Anything that is not an escape stands for itself. */
export function nameOfId(id: string): string {
  return id.replace(/=([0-9A-Fa-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
