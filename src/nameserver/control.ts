// One command to a PowerDNS over its control socket, and its answer. Knows no command.
import { connect } from 'node:net';

/**
 * @param socket path of PowerDNS' control socket
 * @returns the whole answer; its end is PowerDNS closing the connection
 * @throws when PowerDNS does not answer within `timeoutMs`
 */
export function tellPowerDns(socket: string, command: string, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const connection = connect(socket);
    let answer = '';
    connection.setEncoding('utf8');
    connection.setTimeout(timeoutMs, () =>
      connection.destroy(new Error(`PowerDNS gave no answer within ${timeoutMs} ms`)),
    );
    connection.once('connect', () => connection.write(`${command}\n`));
    connection.on('data', (chunk: string) => {
      answer += chunk;
    });
    connection.once('error', reject);
    connection.once('close', () => resolve(answer));
  });
}
