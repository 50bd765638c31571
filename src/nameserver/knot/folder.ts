// Where the files of one knotd are. Pure.
import { join } from 'node:path';

export interface KnotFolder {
  /** The folder itself, with mode 700: it holds private keys. */
  readonly root: string;
  /** The configuration database, for `knotd -C` and `keymgr -C`. */
  readonly confdb: string;
  /** The configuration of an edge as a text, for `knotd -c`. */
  readonly configuration: string;
  /** The journal, the keys and the timers. */
  readonly storage: string;
  /** The control socket. */
  readonly socket: string;
  /** A PID file that was left makes knotd refuse to start while that process id is taken, so it is removed before. */
  readonly pidFile: string;
}

/** The kernel's limit of a Unix socket's path, without the final NUL (unix(7)). */
const MAX_SOCKET_PATH = 107;

/** @throws if the path is too long for a Unix socket */
export function knotFolder(root: string): KnotFolder {
  const socket = join(root, 'knot.sock');
  if (Buffer.byteLength(socket) > MAX_SOCKET_PATH) {
    throw new Error(
      `the path ${socket} is too long for a Unix socket (${MAX_SOCKET_PATH} octets); use a shorter folder`,
    );
  }
  return {
    root,
    confdb: join(root, 'confdb'),
    configuration: join(root, 'knot.conf'),
    storage: join(root, 'storage'),
    socket,
    pidFile: join(root, 'knot.pid'),
  };
}
