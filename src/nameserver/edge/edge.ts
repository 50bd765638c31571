// The configuration of an edge on its disk, and the checks of its knotd.
//
// A probe of the kubelet calls `checkEdge`. So knotd is the only process that runs all the time, and the configuration
// follows nodes whose Services were created again, and a new TSIG key, without a restart.
import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { chooseListenAddresses, EVERY_ADDRESS } from '#base/listen-address.ts';
import { catalogName } from '#dns/secondaries/catalog.ts';
import type { Endpoint } from '#dns/secondaries/secondary.ts';
import { type KnotTls, prepareTls, readTls, removeOtherCopies } from '../knot/certificate.ts';
import { knotControl } from '../knot/control.ts';
import { knotFolder } from '../knot/folder.ts';
import { readTlsSettings } from '../knot/from-config.ts';
import { replaceFile } from '../knot/replace-file.ts';
import { programVersion } from '../knot/version.ts';
import { ask } from '../probe/ask.ts';
import { type EdgeSettings, edgeConfiguration } from './configuration.ts';
import { heldZones } from './held.ts';
import { primaries, primariesNow } from './primaries.ts';

type Print = (line: string) => void;

const COMMAND_MS = 8_000;

/** The path of the configuration. */
export function edgeFile({ ZONESTEAD_KNOT_FOLDER: folder }: Pick<EdgeSettings, 'ZONESTEAD_KNOT_FOLDER'>): string {
  return knotFolder(folder).configuration;
}

/**
 * Writes the configuration before knotd starts, and removes the PID file and the socket of a knotd that was killed.
 * Waits until each name of a node was resolved once. Zones that are there stay.
 * @throws Error if a setting has a wrong form, or if knotd cannot serve DNS over TLS as the settings say
 */
export async function prepareEdge(settings: EdgeSettings, print: Print, signal: AbortSignal): Promise<void> {
  const folder = settings.ZONESTEAD_KNOT_FOLDER;
  const knot = knotFolder(folder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const version = await programVersion(settings.ZONESTEAD_KNOTD, signal);
  const tls = await prepareOwnTls(settings, version, signal);
  const endpoints = await primaries({ hosts: settings.ZONESTEAD_EDGE_PRIMARIES, folder, signal }, print);
  // It contains the TSIG key, and knotd may read it now.
  await replaceFile(edgeFile(settings), await configurationText(settings, endpoints, version, tls));
  await removeOtherCopies(knot, tls);
  await rm(knot.pidFile, { force: true });
  await rm(knot.socket, { force: true });
}

/**
 * Checks that knotd answers. If the addresses of the nodes or the key are new, knotd gets a new configuration.
 * @throws Error if knotd does not answer, or does not take the configuration
 */
export async function checkEdge(settings: EdgeSettings, print: Print, signal: AbortSignal): Promise<void> {
  await ask(ownAddress(settings), { name: 'id.server', type: 'SOA' }, { signal });
  const folder = settings.ZONESTEAD_KNOT_FOLDER;
  const endpoints = await primariesNow({ hosts: settings.ZONESTEAD_EDGE_PRIMARIES, folder, signal });
  if (endpoints === null) return;
  const version = await programVersion(settings.ZONESTEAD_KNOTD, signal);
  const tls = await prepareOwnTls(settings, version, signal).catch((error: Error) => {
    signal.throwIfAborted();
    // Not a failure: the kubelet would restart a knotd that answers with its former certificate.
    print(error.message);
  });
  if (tls === undefined) return;
  const text = await configurationText(settings, endpoints, version, tls);
  const path = edgeFile(settings);
  if (text === (await readFile(path, 'utf8'))) return;
  await replaceFile(path, text);
  const control = createEdgeControl(settings);
  try {
    await control.run('reload', {}, signal);
    await removeOtherCopies(knotFolder(folder), tls);
    print('the configuration was reloaded');
  } finally {
    control.close();
  }
}

/**
 * Whether queries may come: all zones of the catalog are there, or the time for it is over and the catalog is there.
 * @throws Error that names what is missing
 */
export async function checkZones(settings: EdgeSettings, print: Print, signal: AbortSignal): Promise<void> {
  const catalog = catalogName(settings.ZONESTEAD_EDGE_SECONDARY);
  const control = createEdgeControl(settings);
  try {
    const transferState = await heldZones(control, catalog, signal);
    if (transferState.state === 'none') {
      throw new Error(
        `the catalog ${catalog} was not transferred yet; a node lets this edge transfer it when the secondary is known to the api`,
      );
    }
    const startedAt = (await stat(knotFolder(settings.ZONESTEAD_KNOT_FOLDER).socket)).mtimeMs;
    const seconds = (Date.now() - startedAt) / 1000;
    if (transferState.state === 'some' && seconds < settings.ZONESTEAD_EDGE_WAIT_SECONDS) {
      throw new Error(`${transferState.lacking} zones were not transferred yet, for instance ${transferState.missing}`);
    }
    print(`${transferState.zones} zones`);
  } finally {
    control.close();
  }
}

function createEdgeControl({ ZONESTEAD_KNOT_FOLDER: folder }: EdgeSettings) {
  return knotControl({ socket: knotFolder(folder).socket, connectMs: COMMAND_MS, commandMs: COMMAND_MS });
}

/** The configuration with the addresses that this machine has, for the version of its knotd. */
async function configurationText(
  settings: EdgeSettings,
  endpoints: readonly Endpoint[],
  version: string | null,
  tls: KnotTls | null,
): Promise<string> {
  const listen = [...(await chooseListenAddresses(settings.ZONESTEAD_KNOT_LISTEN))];
  return edgeConfiguration({ ...settings, ZONESTEAD_KNOT_LISTEN: listen }, endpoints, version, tls);
}

/** The address that leads to a knotd of this machine, for each text that means all addresses. */
const OWN_ADDRESSES = new Map([
  [EVERY_ADDRESS, '127.0.0.1'],
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

/** @throws Error of prepareTls and readTls */
async function prepareOwnTls(
  settings: EdgeSettings,
  version: string | null,
  signal: AbortSignal,
): Promise<KnotTls | null> {
  const tls = readTlsSettings(settings);
  if (tls === null) return null;
  return prepareTls(tls, knotFolder(settings.ZONESTEAD_KNOT_FOLDER), version, () => readTls(tls, signal));
}

/** An address at which knotd answers this machine itself. */
function ownAddress({ ZONESTEAD_KNOT_LISTEN: listen, ZONESTEAD_KNOT_PORT: port }: EdgeSettings) {
  const [address = ''] = listen;
  return { address: OWN_ADDRESSES.get(address) ?? address, port };
}
