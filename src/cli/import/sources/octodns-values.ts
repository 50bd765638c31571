// Values of octoDNS' records, which are maps for most types, as RDATA of a zone file. Pure.

/** The fields of a value in the order of the RDATA; a field with several names has the newest one first. */
const FIELDS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  MX: [
    ['preference', 'priority'],
    ['exchange', 'value'],
  ],
  SRV: [['priority'], ['weight'], ['port'], ['target']],
  SSHFP: [['algorithm'], ['fingerprint_type'], ['fingerprint']],
  TLSA: [['certificate_usage'], ['selector'], ['matching_type'], ['certificate_association_data']],
  DS: [['key_tag'], ['algorithm'], ['digest_type'], ['digest']],
};
const QUOTED: Readonly<Record<string, readonly (readonly [name: string, isText: boolean])[]>> = {
  CAA: [
    ['flags', false],
    ['tag', false],
    ['value', true],
  ],
  NAPTR: [
    ['order', false],
    ['preference', false],
    ['flags', true],
    ['service', true],
    ['regexp', true],
    ['replacement', false],
  ],
  URI: [
    ['priority', false],
    ['weight', false],
    ['target', true],
  ],
};

/** An unknown type or form becomes text, which the reader of lines refuses with its place. */
export function rdataOfValue(type: string, value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const map = value as Record<string, unknown>;
  const plain = FIELDS[type]?.map((names) => names.map((name) => map[name]).find((each) => each !== undefined));
  if (plain !== undefined) return plain.map((each) => String(each ?? '')).join(' ');
  const mixed = QUOTED[type]?.map(([name, isText]) => (isText ? quoted(map[name]) : String(map[name] ?? '')));
  if (mixed !== undefined) return mixed.join(' ');
  if (type === 'LOC') return formatLocation(map);
  if (type === 'SVCB' || type === 'HTTPS') return formatService(map);
  return JSON.stringify(value);
}

function quoted(value: unknown): string {
  return `"${String(value ?? '').replace(/["\\]/g, '\\$&')}"`;
}

function formatLocation(map: Record<string, unknown>): string {
  const angle = (axis: 'lat' | 'long') =>
    ['degrees', 'minutes', 'seconds', 'direction'].map((part) => map[`${axis}_${part}`] ?? 0);
  const lengths = ['altitude', 'size', 'precision_horz', 'precision_vert'].map((part) => `${map[part] ?? 0}m`);
  return [...angle('lat'), ...angle('long'), ...lengths].join(' ');
}

function formatService({ svcpriority, targetname, svcparams }: Record<string, unknown>): string {
  const params = Object.entries(typeof svcparams === 'object' && svcparams !== null ? svcparams : {}).map(
    ([key, value]) =>
      value === null || value === '' ? key : `${key}=${quoted(Array.isArray(value) ? value.join(',') : value)}`,
  );
  return [svcpriority ?? '', targetname ?? '', ...params].join(' ');
}
