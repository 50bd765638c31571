// Talks to one PowerDNS over its control socket: drop a zone from the packet cache. Knows nothing of why.
import { connect } from 'node:net';

/**
 * Drops all cached answers at and below `zone`, and the cached keys and metadata of all zones (`$` does both in 4.7; a
 * zone that was deleted and made anew has another key). About 1 ms.
 * @param socket path of PowerDNS' control socket
 * @throws when PowerDNS does not answer within `timeoutMs`
 */
export function purgeZone(socket: string, zone: string, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const connection = connect(socket);
    let answer = '';
    connection.setEncoding('utf8');
    connection.setTimeout(timeoutMs, () =>
      connection.destroy(new Error(`PowerDNS gave no answer within ${timeoutMs} ms`)),
    );
    connection.once('connect', () => connection.write(`PURGE ${zone}$\n`));
    connection.on('data', (chunk: string) => {
      answer += chunk;
    });
    connection.once('error', reject);
    // The answer is the number of dropped packets; its end is PowerDNS closing the connection.
    connection.once('close', () => {
      if (/^\d+\s*$/.test(answer)) resolve();
      else reject(new Error(`PowerDNS did not purge ${zone}: ${answer.trim().slice(0, 200) || 'no answer'}`));
    });
  });
}
