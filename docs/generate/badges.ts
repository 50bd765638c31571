// The badges of README, as files of the repository: no service has to be reachable, and each says what another file of
// the repository says.
import { readFile } from 'node:fs/promises';

const ROOT = new URL('../../', import.meta.url);
const COMPATIBILITY = 'docs/reference/compatibility.md';

/** The width of a character of 11 pixels, in pixels. The picture gives the text this width in any font. */
const ADVANCE = 6.8;
/** The same of a narrow one. */
const NARROW = 3.7;
const PADDING = 6;
const LABEL_GROUND = '#4a5868';

export interface Badge {
  readonly label: string;
  readonly text: string;
  readonly ground: string;
}

const license = async (): Promise<Badge> => ({
  label: 'License',
  text: (await readPackage()).license.replace('-', ' '),
  ground: '#0f5c8a',
});

const status = async (): Promise<Badge> => {
  const isAlpha = (await readPackage()).version.startsWith('0.');
  return { label: 'Status', text: isAlpha ? 'alpha' : 'stable', ground: isAlpha ? '#7a4b00' : '#12603a' };
};

/** The versions that the tests run, without their patch level. */
const tested = (label: string) => async (): Promise<Badge> => {
  const page = await readFile(new URL(COMPATIBILITY, ROOT), 'utf8');
  const cell = new RegExp(`^\\| ${label} +\\|([^|]*)\\|`, 'm').exec(page)?.[1];
  const versions = [...(cell?.split(':')[0] ?? '').matchAll(/\b(\d+\.\d+)\.\d+/g)].map(([, version]) => version);
  if (versions.length === 0) throw new Error(`${COMPATIBILITY} names no tested version of ${label}`);
  return { label, text: versions.join(', '), ground: '#12603a' };
};

/** By path. */
export const BADGES: Readonly<Record<string, () => Promise<Badge>>> = {
  'docs/images/badges/license.svg': license,
  'docs/images/badges/status.svg': status,
  'docs/images/badges/kubernetes.svg': tested('Kubernetes'),
  'docs/images/badges/knot-dns.svg': tested('Knot DNS'),
};

export function drawBadge({ label, text, ground }: Badge): string {
  const [first, second] = [label, text].map((part) => Math.ceil(widthOf(part))) as [number, number];
  const [left, width] = [first + 2 * PADDING, first + second + 4 * PADDING];
  const word = (part: string, x: number, length: number) =>
    `<text x="${x}" y="14" textLength="${length}" lengthAdjust="spacingAndGlyphs">${part}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="${label}: ${text}">`,
    `<title>${label}: ${text}</title>`,
    `<clipPath id="r"><rect width="${width}" height="20" rx="3"/></clipPath>`,
    `<g clip-path="url(#r)"><rect width="${left}" height="20" fill="${LABEL_GROUND}"/><rect x="${left}" width="${width - left}" height="20" fill="${ground}"/></g>`,
    '<g fill="#fff" font-family="system-ui,sans-serif" font-size="11">',
    word(label, PADDING, first),
    word(text, left + PADDING, second),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

function widthOf(text: string): number {
  return [...text].reduce((sum, character) => sum + (/[ .,:ilt]/.test(character) ? NARROW : ADVANCE), 0);
}

async function readPackage(): Promise<{ license: string; version: string }> {
  return JSON.parse(await readFile(new URL('package.json', ROOT), 'utf8'));
}
