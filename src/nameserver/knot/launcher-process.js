// The process of launcher.ts: runs programs, several at once, until its channel is closed. It imports nothing, and stays small: it
// is JavaScript, because the part of Node that removes types would cost it 17 MB of memory and 0.1 s at each start.
import { execFile, spawn } from 'node:child_process';

/** @param {import('./launcher.ts').Launch & { id: number }} launch */
function run({ id, file, args, timeoutMs }) {
  /** @param {string | null} error */
  const answer = (error) => process.send?.({ id, error });
  // Pipes for its words would cost half as much as the rest of the start. A program that fails runs once more, for its words.
  const again = () =>
    execFile(file, [...args], { timeout: timeoutMs }, (error, _out, words) =>
      answer(error === null ? null : words.trim() || error.message),
    );
  const child = spawn(file, [...args], { timeout: timeoutMs, stdio: 'ignore' });
  child.once('error', again);
  child.once('exit', (code) => (code === 0 ? answer(null) : again()));
}

process.on('message', run);
// A signal to the group of processes is for the parent, which then closes the channel.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
process.on('disconnect', () => process.exit());
