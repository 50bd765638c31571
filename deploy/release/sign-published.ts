// Signs a published image or chart: pushes its signature, and the signed bill of materials if there is one.
import { readFile } from 'node:fs/promises';
import type { Progress } from '../local/parts/cache.ts';
import { attach } from './attachments.ts';
import type { Registry } from './registry.ts';
import { attestBill, isAttestation, isSignature, type SigningKey, signImage } from './signing.ts';

export interface Published {
  /** With its host. */
  repository: string;
  tag: string;
  /** sha256:… */
  digest: string;
  /** The file of its bill of materials. */
  bill?: string | undefined;
}

/** Does nothing without a key. @throws Error that says what to do, when the registry refuses */
export async function signPublished(
  registry: Registry,
  key: SigningKey | undefined,
  { repository, tag, digest, bill }: Published,
  print: Progress,
): Promise<void> {
  if (key === undefined) return;
  const reference = `${repository}:${tag}`;
  const isNew = await attach(registry, {
    ...{ repository, digest, kind: 'sig' },
    isThere: (blob) => isSignature(blob, key, reference, digest),
    make: () => signImage(key, reference, digest),
  });
  print(`  its signature ${isNew ? 'pushed' : 'is there already'}`);
  if (bill === undefined) return;
  const text = await readFile(bill, 'utf8');
  const isNewBill = await attach(registry, {
    ...{ repository, digest, kind: 'att' },
    isThere: (blob) => isAttestation(blob, key, repository, digest, text),
    make: () => attestBill(key, repository, digest, text),
  });
  print(`  its signed bill of materials ${isNewBill ? 'pushed' : 'is there already'}`);
}
