// Web servers in a process of their own, so that it can be stopped and its processor time is not that of the benchmark.
// The arguments are a port and the addresses; each server answers 204.
import { createServer } from 'node:http';

const [port, ...addresses] = process.argv.slice(2);
for (const address of addresses) {
  const server = createServer((_, response) => response.writeHead(204).end());
  await new Promise<void>((resolve) => server.listen(Number(port), address, resolve));
}
