// The answers of the dyndns2 protocol: a line of text for each host name.
import type { FastifyReply } from 'fastify';
import type { Addresses } from './read.ts';

/** Says why a name was refused. Clients read the codes in the body alone. */
const NOTE = 'zonestead-note';

/** The line for a host name: the code, with the addresses if it has them. */
export function formatAnswer(code: string, { A, AAAA }: Addresses): string {
  if (code !== 'good' && code !== 'nochg') return code;
  return `${code} ${[A, AAAA].filter((each) => each !== undefined).join(',')}`;
}

export function sendLines(reply: FastifyReply, lines: readonly string[], problem: string | null): FastifyReply {
  if (problem !== null) reply.header(NOTE, problem.replaceAll(/[^\x20-\x7e]/g, '?'));
  return reply.type('text/plain; charset=utf-8').send(`${lines.join('\n')}\n`);
}
