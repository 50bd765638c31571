// `node test/prose/main.ts [paths]`: prints every violation below the paths. (Default: in the whole repository.) It
// exits with 1 if there are any.
import { findAll, print } from './tree.ts';

const paths = process.argv.slice(2);
const text = print(await findAll(paths.length > 0 ? paths : undefined));
if (text !== '') {
  process.stdout.write(`${text}\n`);
  process.exitCode = 1;
}
