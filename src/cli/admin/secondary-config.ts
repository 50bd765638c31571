// `zonestead admin secondaries config`: the configuration for the other side.
import { bindConfig } from '#dns/secondaries/bind-config.ts';
import { catalogName } from '#dns/secondaries/catalog.ts';
import { knotConfig } from '#dns/secondaries/knot-config.ts';
import { nsdConfig } from '#dns/secondaries/nsd-config.ts';
import { checkedPins, PIN_COMMAND } from '#dns/secondaries/pin.ts';
import type { PrimaryTls } from '#dns/secondaries/primary.ts';
import { endpointText } from '#dns/secondaries/secondary.ts';
import { type Administration, describeAdminCommand } from './command.ts';
import { NAME } from './secondary-options.ts';

const KINDS = { bind: bindConfig, knot: knotConfig, nsd: nsdConfig };
type Kind = keyof typeof KINDS;

/** DNS over TLS (RFC 7858 section 3.1), which transfers over TLS share (RFC 9103 section 7.1). */
const TLS_PORT = 853;

interface TlsOptions {
  tlsName?: string;
  tlsCa?: string;
  tlsPin?: string[];
  tlsCert?: string;
  tlsKey?: string;
}

interface ConfigOptions extends TlsOptions {
  for: Kind;
  primary?: string[];
  listen?: string[];
  folder: string;
}

export const config = describeAdminCommand({
  name: 'config',
  describe: 'print the configuration for the other side, with the secret of its key',
  arguments: NAME,
  options: [
    { flags: '--for <server>', describe: 'its name server', isRequired: true, choices: ['bind', 'knot', 'nsd'] },
    {
      flags: '--primary <address>',
      describe: 'an address of one of your name servers, the usual source first; the port is 53, or 853 over TLS',
      isRequired: true,
      value: 'list',
    },
    {
      flags: '--listen <address>',
      describe: 'an address that it listens on (default: its addresses)',
      value: 'list',
    },
    { flags: '--folder <folder>', describe: 'its folder for zones', default: '/var/lib/zonestead-secondary' },
    { flags: '--tls-name <host>', describe: 'over TLS: the name in the certificate of your name servers (BIND, NSD)' },
    {
      flags: '--tls-ca <file>',
      describe: 'over TLS: its file with the authorities of that certificate (default: those of its system)',
    },
    { flags: '--tls-pin <pin>', describe: 'over TLS: the pin of that certificate (Knot DNS)', value: 'list' },
    { flags: '--tls-cert <file>', describe: 'over TLS: its file with its own certificate' },
    { flags: '--tls-key <file>', describe: 'over TLS: its file with the private key of that certificate' },
  ],
  notes:
    'Transfers are over TLS if the secondary requires it, or if one of the options for TLS is given. ' +
    `This prints the pin of a certificate: ${PIN_COMMAND}`,
  run: (administration, [name = ''], options: ConfigOptions) => printConfig(administration, name, options),
});

/**
 * Prints the configuration, with the secret of the key.
 * @throws Error with the option that is missing, if the zones or the identity of our name servers would be
 */
async function printConfig({ url, print }: Administration, name: string, options: ConfigOptions): Promise<void> {
  const { adminShowSecondary, toSecondary } = await import('#service/secondaries/administration.ts');
  const { parseSecondaryEndpoint } = await import('#service/secondaries/input.ts');
  const found = await adminShowSecondary(url, name);
  const { key, zones } = toSecondary(found, found.zones);
  const byCatalog = found.catalog && options.for !== 'nsd';
  if (!byCatalog && zones === 'all') {
    throw new Error(
      `${options.for} needs the names of the zones: list them (admin secondaries zones ${name} --add …), or use knot or bind`,
    );
  }
  const tls = readTls(found, options);
  const port = tls === undefined ? undefined : TLS_PORT;
  const view = {
    primaries: (options.primary ?? []).map((text) => parseSecondaryEndpoint(text, port)),
    key,
    zones: byCatalog ? null : (zones as readonly string[]),
    catalog: catalogName(name),
    tls,
  };
  const listen = (options.listen ?? found.addresses.map(endpointText)).map((text) => parseSecondaryEndpoint(text));
  print(KINDS[options.for](view, { listen, folder: options.folder }));
}

/** Undefined: without TLS. @throws Error with the option that is missing */
function readTls(
  { name, requireTls, pins }: { name: string; requireTls: boolean; pins: readonly string[] },
  options: ConfigOptions,
): PrimaryTls | undefined {
  const { for: kind, tlsName = null, tlsCa = null, tlsPin = [], tlsCert, tlsKey } = options;
  const isGiven = [tlsName, tlsCa, tlsCert ?? null, tlsKey ?? null].some((value) => value !== null);
  if (!requireTls && !isGiven && tlsPin.length === 0) return undefined;
  if (kind === 'knot' && tlsPin.length === 0)
    throw new Error(
      `Knot DNS verifies your name servers by pins: give those of their certificates with --tls-pin. This prints one: ${PIN_COMMAND}`,
    );
  if (kind !== 'knot' && tlsName === null)
    throw new Error(
      `${kind} verifies the name in the certificate of your name servers: give it with --tls-name, and their authorities with --tls-ca if its system does not know them`,
    );
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw new Error('--tls-cert and --tls-key belong together: the certificate and its private key');
  if (pins.length > 0 && tlsCert === undefined)
    throw new Error(
      `the secondary ${name} has pins, so it must show its certificate: give its files at the secondary with --tls-cert and --tls-key`,
    );
  return {
    hostName: tlsName,
    authorities: tlsCa,
    pins: checkedPins(tlsPin),
    certificate: tlsCert === undefined || tlsKey === undefined ? null : { file: tlsCert, keyFile: tlsKey },
  };
}
