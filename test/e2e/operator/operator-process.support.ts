// The operator as a process of its own, with heartbeats as often as HEARTBEAT_MS says, in ms.
import { readConfig } from '#config.ts';
import { runOperator } from '#operator/run/main.ts';
import { OPERATOR_SETTINGS } from '#operator/run/settings.ts';

const stop = new AbortController();
process.once('SIGTERM', () => stop.abort(new Error('SIGTERM')));
const heartbeatMs = Number(process.env.HEARTBEAT_MS);
await runOperator(readConfig(OPERATOR_SETTINGS, process.env), stop.signal, { heartbeatMs });
