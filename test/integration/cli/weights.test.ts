// Weights on the command line: the commands of the page as a reader types them, and the option of records.
import { expect, test, vi } from 'vitest';
import { scenario } from '../../support/docs/scenario.ts';
import { complaint } from '../../support/docs/shown.ts';
import { zonestead } from '../../support/program/command-line.ts';
import { startTestService } from '../../support/service/service.ts';

const service = await startTestService();
const admin = await service.key();
vi.stubEnv('ZONESTEAD_URL', service.url);
vi.stubEnv('ZONESTEAD_API_KEY', admin.text);
vi.stubEnv('NO_COLOR', '1');

test('a reader moves traffic by weights, and removes them', async () => {
  await service.zone('shop.example', admin);
  for (const { text, shown } of await scenario('weights')) {
    const { out } = await zonestead(...text.split(' ').slice(1));
    // Ids and the order of equal names differ.
    if (text.startsWith('zonestead records list')) expect(out).toMatch(/weight 5 +198\.51\.100\.10\n/);
    else expect(complaint(shown, out, new Map())).toBeUndefined();
  }
  const list = ['records', 'list', 'shop.example', '--name', 'www', '-o', 'json'];
  const read = async () => JSON.parse((await zonestead(...list)).out).records as { id: string; weight?: number }[];
  const blue = (await read()).find(({ weight }) => weight === 95)!;
  const update = (...words: string[]) => zonestead('records', 'update', 'shop.example', blue.id, ...words);
  expect((await update('--weight', '50', '--dry-run')).out).toBe('~ www A 203.0.113.10: weight 95 -> weight 50\n');
  await update('--ttl', '60');
  await update('--tier', '1');
  expect((await read()).find(({ id }) => id === blue.id)).toMatchObject({ weight: 95, tier: 1, ttl: 60 });
  await update('--weight', '0');
  expect((await read()).find(({ id }) => id === blue.id)).not.toHaveProperty('weight');
  expect((await update('--weight', '256')).err).toContain('weight: must be a whole number from 1 to 255');
});
