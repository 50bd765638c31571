// The option of the commands that keep certificates in Secrets.
import type { OptionDescription } from '../command.ts';

export const CERTIFICATE_OPTION = {
  flags: '--certificate <secret=hosts>',
  describe:
    'Secret that this command creates for a certificate, and the comma-separated names and addresses of the server',
  value: 'list',
} as const satisfies OptionDescription;
