// Asks for a line at a terminal that does not show it.
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/**
 * @param question is written to standard error
 * @throws Error if the person ends the question with Ctrl-C or Ctrl-D, and the reason of the signal
 */
export async function askHidden(question: string, signal: AbortSignal): Promise<string> {
  const ended = new AbortController();
  // The interface would show the typed characters; the terminal itself shows none while the interface reads.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  const end = () => ended.abort(new Error('no key was given, so nothing is changed'));
  terminal.on('SIGINT', end).on('close', end);
  process.stderr.write(question);
  try {
    return await terminal.question('', { signal: AbortSignal.any([signal, ended.signal]) });
  } catch (error) {
    throw signal.aborted ? signal.reason : ended.signal.aborted ? ended.signal.reason : error;
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}
