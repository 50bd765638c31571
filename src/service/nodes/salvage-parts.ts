// Takes the parts of a zone that a node has and the database lacks. It is only kept for the command of the
// administrator that asked for it, which judges it: a node never changes a zone.
import type { Keyring } from '#base/keyring.ts';
import { storeSalvagePart } from '#store/salvage.ts';
import type { ServiceContext } from '../context.ts';
import { refusal } from '../refusal.ts';
import type { NodeActor } from './keys.ts';
import type { SealedOrigin } from './seal.ts';

/** The last part of a zone, as `salvagePart` of the contract has it. */
export type SalvageEnd =
  | {
      kind: 'zone';
      id: string;
      serial: number;
      /** PEM (PKCS#8), in clear or encrypted (openSentKeys). Secret. */
      privateKeys: string[];
      origin: SealedOrigin | null;
      parts: number;
      sets: number;
      digest: string;
    }
  | { kind: 'failed'; error: string };

/** The answer for a zone of which only the private keys were asked for. */
export type SentKeys = { kind: 'keys'; privateKeys: string[] } | { kind: 'failed'; error: string };

interface Part {
  token: string;
  instance: string;
  zone: string;
  content:
    | SalvageEnd
    | SentKeys
    | { kind: 'sets'; part: number; sets: readonly object[] }
    | { kind: 'endings'; part: number; endings: readonly object[] };
}

/** @throws Refusal conflict: no administrator asks for the zone, or the node has not reported lately */
export async function takeSalvagePart(
  { db, keyring }: Pick<ServiceContext, 'db' | 'keyring'>,
  actor: NodeActor,
  sent: Part,
): Promise<null> {
  const { token, instance, zone } = sent;
  const content = encryptKeys(sent.content, keyring, zone);
  const part = 'part' in content ? content.part : 0;
  // The endings belong to no zone, and every zone has a name.
  if ((content.kind === 'endings') !== (zone === '')) throw refusal('no-salvage', { name: zone });
  const stored = await storeSalvagePart(db, { token, instance, keyId: actor.keyId, zone, part, content });
  if (!stored) throw refusal('no-salvage', { name: zone });
  return null;
}

function encryptKeys(content: Part['content'], keyring: Keyring, zone: string): Part['content'] {
  if (!('privateKeys' in content)) return content;
  return { ...content, privateKeys: content.privateKeys.map((key) => keyring.seal(key, ownerOfSent(zone))) };
}

/** The private keys of a part, as takeSalvagePart encrypted them. @throws as Keyring.open */
export function openSentKeys(privateKeys: readonly string[], keyring: Keyring, zone: string): string[] {
  return privateKeys.map((key) => keyring.open(key, ownerOfSent(zone)));
}

const ownerOfSent = (zone: string) => `sent key of ${zone}`;
