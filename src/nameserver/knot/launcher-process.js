// The process of launcher.ts: reads the runs as one line of JSON, writes an error or null for each, and ends with its standard
// input. It stays small: it is JavaScript, because the part of Node that removes types would cost it 17 MB of memory and 0.1 s.
import { execFile, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/**
 * @param {string} file @param {readonly string[]} args @param {number} timeout
 * @returns {Promise<string | null>}
 */
function run(file, args, timeout) {
  return new Promise((resolve) => {
    // Pipes for its words would cost half as much as the rest of the start. A program that fails runs once more, for its words.
    const again = () =>
      execFile(file, args, { timeout }, (error, _out, words) =>
        resolve(error === null ? null : words.trim() || error.message),
      );
    const child = spawn(file, args, { timeout, stdio: 'ignore' });
    child.once('error', again);
    child.once('exit', (code) => (code === 0 ? resolve(null) : again()));
  });
}

/** @param {import('./launcher.ts').Runs} runs */
async function runAll({ file, runs, atOnce, timeoutMs }) {
  /** @type {(string | null)[]} */
  const errors = [];
  const left = runs.entries();
  const work = async () => {
    for (const [at, args] of left) errors[at] = await run(file, args, timeoutMs);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  process.stdout.end(JSON.stringify(errors));
}

// A signal to the group of processes is for the parent, which then closes the pipe.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
createInterface(process.stdin)
  .once('line', (line) => void runAll(JSON.parse(line)))
  .once('close', () => process.exit());
