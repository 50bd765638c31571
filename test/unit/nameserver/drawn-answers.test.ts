// The verdict on the answer for an RRset with weights: one of its values.
import { expect, test } from 'vitest';
import { parseRdata } from '#dns/types/index.ts';
import { judgeRrset } from '#nameserver/probe/compare.ts';
import type { ProbeMessage } from '#nameserver/probe/message.ts';

function wire(address: string): Uint8Array {
  const parsed = parseRdata('A', address, null);
  if (!parsed.ok) throw new Error(parsed.problem.message);
  return parsed.value.wire;
}

function judge(...addresses: string[]): string | null {
  const answers = addresses.map((address) => ({ name: 'www.example', type: 1, ttl: 20, rdata: wire(address) }));
  const message = { rcode: 0, aa: true, answers, authorities: [], additionals: [] } as unknown as ProbeMessage;
  const rdatas = [wire('192.0.2.1'), wire('192.0.2.2')];
  return judgeRrset({ name: 'www.example', type: 'A', rdatas, absent: [wire('192.0.2.3')], isDrawn: true }, message);
}

test('an RRset with weights is served if one of its values is in the answer', () => {
  expect(judge('192.0.2.2')).toBeNull();
  expect(judge('192.0.2.1', '192.0.2.2')).toBeNull();
});

test('an RRset with weights is not served by an answer with other values, or with one that must be gone', () => {
  expect(judge('192.0.2.9')).toBe('does not serve it yet');
  expect(judge()).toBe('does not serve it yet');
  expect(judge('192.0.2.1', '192.0.2.3')).toBe('still serves a removed value');
});
