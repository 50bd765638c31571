// Sends one command to PowerDNS over its control socket and reads the answer.
import { connect } from 'node:net';

/**
 * @param socket path of PowerDNS' control socket
 * @returns the whole answer; PowerDNS closes the connection after it
 * @throws when PowerDNS does not answer within `timeoutMs`
 */
export function commandPowerDns(socket: string, command: string, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const connection = connect(socket);
    let answer = '';
    connection.setEncoding('utf8');
    connection.setTimeout(timeoutMs, () =>
      connection.destroy(new Error(`PowerDNS did not answer within ${timeoutMs} ms`)),
    );
    connection.once('connect', () => connection.write(`${command}\n`));
    connection.on('data', (chunk: string) => {
      answer += chunk;
    });
    connection.once('error', reject);
    connection.once('close', () => resolve(answer));
  });
}
