// Looks at the beginning of a connection before a protocol reads it.
import type { Socket } from 'node:net';

/**
 * Calls `then` with the first octet of the connection, which stays in the socket for the next reader. A connection that
 * ends, or sends nothing within `ms`, is destroyed.
 */
export function lookAtFirstOctet(socket: Socket, ms: number, then: (octet: number) => void): void {
  const finish = () => {
    clearTimeout(timer);
    socket.off('data', onData).off('end', onEnd).off('error', onEnd).off('close', onEnd);
    socket.pause();
  };
  const onData = (chunk: Buffer) => {
    const [octet] = chunk;
    if (octet === undefined) return;
    finish();
    socket.unshift(chunk);
    then(octet);
  };
  const onEnd = () => {
    finish();
    socket.destroy();
  };
  const timer = setTimeout(onEnd, ms);
  socket.on('data', onData).on('end', onEnd).on('error', onEnd).on('close', onEnd);
  socket.resume();
}
