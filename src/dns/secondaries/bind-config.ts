// The configuration of an unmodified BIND (9.18 and later) as a secondary. Pure.
//
// - `min-update-interval 1`: BIND waits 5 s after a change of the catalog by default.
// - `ixfr-from-differences no`, `dnssec-validation no`, `recursion no`: it serves zones as it gets them.
// - `notify no`: secondaries send no NOTIFY for our zones.
// - `remote-hostname` makes BIND verify the certificate of a primary. Queries for the SOA go over TLS as well.
// - Member zones take NOTIFY from the addresses of their primaries; `allow-notify` adds the key.

import type { PrimaryTls, PrimaryView, ServerPlace } from './primary.ts';
import type { Endpoint } from './secondary.ts';

/** A text for `named -c`. @throws {Error} without the name in the certificates, if transfers are over TLS */
export function bindConfig(
  { primaries, key, zones, catalog, tls }: PrimaryView,
  { listen, folder }: ServerPlace,
): string {
  const clauses = `${key === null ? '' : ` key "${key.name}"`}${tls === undefined ? '' : ` tls "${TLS}"`}`;
  const list = primaries.map(({ address, port }) => `${address} port ${port}${clauses};`).join(' ');
  const keySection =
    key === null ? '' : `key "${key.name}" {\n  algorithm ${key.algorithm};\n  secret "${key.secret}";\n};\n\n`;
  const allowNotify = key === null ? '' : `\n  allow-notify { key "${key.name}"; };`;
  const catalogLines =
    zones === null
      ? `  catalog-zones {
    zone "${catalog}" default-primaries { ${list} } zone-directory "${folder}" in-memory no min-update-interval 1;
  };
`
      : '';
  const zoneLines = (zones ?? [catalog]).map(
    (zone) => `zone "${zone}" {
  type secondary;
  primaries { ${list} };
  file "${folder}/${fileName(zone)}";${allowNotify}
${zones === null ? '  allow-query { none; };\n' : ''}};
`,
  );
  return `${keySection}${tls === undefined ? '' : tlsSection(tls)}options {
  directory "${folder}";
  pid-file "${folder}/named.pid";
  session-keyfile "${folder}/session.key";
${listenLines(listen)}  recursion no;
  dnssec-validation no;
  allow-transfer { none; };${allowNotify}
  notify no;
  ixfr-from-differences no;
  masterfile-format raw;
  version none;
${catalogLines}};

controls { };

${zoneLines.join('\n')}`;
}

const TLS = 'zonestead';

function tlsSection({ hostName, authorities, certificate }: PrimaryTls): string {
  if (hostName === null) throw new Error('BIND verifies the name in the certificates of your name servers: give it');
  const files =
    certificate === null ? '' : `  cert-file "${certificate.file}";\n  key-file "${certificate.keyFile}";\n`;
  return `tls "${TLS}" {
  remote-hostname "${hostName}";
${authorities === null ? '' : `  ca-file "${authorities}";\n`}${files}};

`;
}

function listenLines(listen: readonly Endpoint[]): string {
  const four = listen.filter(({ address }) => !address.includes(':'));
  const six = listen.filter(({ address }) => address.includes(':'));
  const line = (name: string, all: readonly Endpoint[]) =>
    all.length === 0
      ? `  ${name} { none; };\n`
      : all.map(({ address, port }) => `  ${name} port ${port} { ${address}; };\n`).join('');
  return line('listen-on', four) + line('listen-on-v6', six);
}

/** A zone may have any octet that a host name may, and `/` (RFC 2317), which a file name may not. */
function fileName(zone: string): string {
  return `${zone.replaceAll('/', '%2f')}.zone`;
}
