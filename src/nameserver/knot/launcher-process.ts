// The process of launcher.ts: runs programs, several at once, until its channel is closed. It imports nothing, and stays small.
import { execFile } from 'node:child_process';
import type { Launch, Launched } from './launcher.ts';

process.on('message', ({ id, file, args, timeoutMs }: Launch & { id: number }) => {
  execFile(file, [...args], { timeout: timeoutMs }, (error, out, words) => {
    const answer: Launched = { id, out, error: error === null ? null : words.trim() || error.message };
    process.send?.(answer);
  });
});
// A signal to the group of processes is for the parent, which then closes the channel.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
process.on('disconnect', () => process.exit());
