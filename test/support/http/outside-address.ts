// An address of this machine for connections that a server takes for those of another machine.
import { networkInterfaces } from 'node:os';

/** An IPv4 address of an interface. @throws if the machine has only loopback addresses */
export function outsideAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const found = all.find(({ family, internal }) => family === 'IPv4' && !internal);
  if (found === undefined) throw new Error('this machine needs an IPv4 address that is not 127.0.0.1');
  return found.address;
}
