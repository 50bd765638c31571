// Writes the style sheet pico for the console without the rules that match nothing on any page: 48 kB instead of 83 kB.
// Run `node deploy/console/pico.ts` after a new version of pico, or after a change of UNUSED. A test compares the file.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { trimCss } from './trim-css.ts';

export const PICO_FILE = fileURLToPath(new URL('../../src/console/shell/assets/pico.min.css', import.meta.url));

/** The parts of pico's selectors that match nothing on any page. A test compares them with the templates. */
// biome-ignore format: one line for each kind
export const UNUSED = [
  'abbr', 'address', 'audio', 'blockquote', 'dialog', 'hgroup', 'hr', 'kbd', 'mark', 'progress', 'samp', 'sub', 'sup', 'video',
  '.container-fluid', '.contrast', '.dropdown', '.overflow-auto',
  '[aria-busy=true]', '[aria-label=breadcrumb]', '[data-theme=dark]', '[data-theme=light]', '[data-tooltip]', '[dir=rtl]',
  '[role=group]', '[role=link]', '[role=switch]', '[type=color]', '[type=month]', '[type=radio]', '[type=range]',
  '[type=time]', '[type=week]', ':host',
];

/** pico without comments, as its package has it. */
export function wholePico(): string {
  return withoutComments(readPackage()).replace('@charset "UTF-8";', '');
}

/** The license of pico asks for its notice. */
export function trimmedPico(): string {
  const [notice = ''] = /\/\*![\s\S]*?\*\//.exec(readPackage()) ?? [];
  return `${notice}\n${trimCss(wholePico(), UNUSED)}`;
}

function readPackage(): string {
  return readFileSync(fileURLToPath(import.meta.resolve('@picocss/pico/css/pico.min.css')), 'utf8');
}

function withoutComments(css: string): string {
  return css.replace(/\/\*[\s\S]*?\*\//g, '');
}

if (import.meta.main) writeFileSync(PICO_FILE, trimmedPico());
