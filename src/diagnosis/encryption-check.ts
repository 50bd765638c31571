// Whether the database holds private keys in clear. Pure.
import { type Finding, ok, warn } from './finding.ts';

/** @param clearKeys the number of private keys of zones that are in clear */
export function checkEncryption(clearKeys: number): Finding {
  if (clearKeys === 0) return ok('service', 'no private key of a zone is in clear in the database');
  return warn('service', `${clearKeys} private keys of zones are in clear in the database`, {
    words: 'Give the api ZONESTEAD_ENCRYPTION_KEYS, and then encrypt them, in a pod of the api:',
    commands: ['zonestead admin encrypt-keys'],
  });
}
