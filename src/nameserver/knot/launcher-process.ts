// The process of launcher.ts: runs programs, several at once, until its channel is closed. It imports nothing, and stays small.
import { execFile, spawn } from 'node:child_process';
import type { Launch, Launched } from './launcher.ts';

process.on('message', ({ id, file, args, timeoutMs }: Launch & { id: number }) => {
  const answer = (error: string | null) => process.send?.({ id, error } satisfies Launched);
  // Pipes for its words would cost half as much as the rest of the start. A program that fails runs once more, for its words.
  const again = () =>
    execFile(file, [...args], { timeout: timeoutMs }, (error, _out, words) =>
      answer(error === null ? null : words.trim() || error.message),
    );
  const child = spawn(file, [...args], { timeout: timeoutMs, stdio: 'ignore' });
  child.once('error', again);
  child.once('exit', (code) => (code === 0 ? answer(null) : again()));
});
// A signal to the group of processes is for the parent, which then closes the channel.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
process.on('disconnect', () => process.exit());
