// PowerDNS as a peer that benchmarks measure: its program.
import { ensureTools } from '../../deploy/local/parts/apt.ts';
import type { Progress } from '../../deploy/local/parts/cache.ts';

/** The path of pdns_server; installed when it is missing and that may be done. */
export async function ensurePowerDns(options: { progress: Progress; signal: AbortSignal }): Promise<string> {
  const found = await ensureTools(
    [
      { command: 'pdns_server', package: 'pdns-server' },
      { file: '/usr/lib/*/pdns/libgpgsqlbackend.so', package: 'pdns-backend-pgsql' },
    ],
    options,
  );
  return found.pdns_server as string;
}
