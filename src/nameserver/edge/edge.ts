// The configuration of an edge on its disk, and the checks of its knotd.
//
// A probe of the kubelet calls `checkEdge`. So knotd is the only process that runs all the time, and the configuration
// follows nodes whose Services were created again, and a new TSIG key, without a restart.
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { catalogName } from '#dns/secondaries/catalog.ts';
import { knotControl } from '../knot/control.ts';
import { knotFolder } from '../knot/folder.ts';
import { ask } from '../probe/ask.ts';
import { type EdgeSettings, edgeConfiguration } from './configuration.ts';
import { heldZones } from './held.ts';
import { primaries, primariesNow } from './primaries.ts';

type Print = (line: string) => void;

const COMMAND_MS = 8_000;

/** The path of the configuration. */
export function edgeFile({ ZONESTEAD_KNOT_FOLDER: folder }: Pick<EdgeSettings, 'ZONESTEAD_KNOT_FOLDER'>): string {
  return join(folder, 'knot.conf');
}

/**
 * Writes the configuration before knotd starts, and removes the PID file and the socket of a knotd that was killed.
 * Waits until each name of a node was resolved once. Zones that are there stay.
 * @throws Error if a setting has a wrong form
 */
export async function prepareEdge(settings: EdgeSettings, print: Print, signal: AbortSignal): Promise<void> {
  const folder = settings.ZONESTEAD_KNOT_FOLDER;
  const { pidFile, socket } = knotFolder(folder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const endpoints = await primaries({ hosts: settings.ZONESTEAD_EDGE_PRIMARIES, folder, signal }, print);
  await write(edgeFile(settings), edgeConfiguration(settings, endpoints));
  await rm(pidFile, { force: true });
  await rm(socket, { force: true });
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
  const text = edgeConfiguration(settings, endpoints);
  const path = edgeFile(settings);
  if (text === (await readFile(path, 'utf8'))) return;
  await write(path, text);
  const control = createEdgeControl(settings);
  try {
    await control.run('reload', {}, signal);
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

/** An address at which knotd answers this machine itself. */
function ownAddress({ ZONESTEAD_KNOT_LISTEN: listen, ZONESTEAD_KNOT_PORT: port }: EdgeSettings) {
  const [address = ''] = listen.split(',');
  return { address: address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address, port };
}

/** At once or not at all, because knotd may read it. It contains the TSIG key. */
async function write(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { mode: 0o600 });
  await rename(`${path}.new`, path);
}
