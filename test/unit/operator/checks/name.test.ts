// The names of the checks that the operator makes.
import { expect, test } from 'vitest';
import { isSharedCheck } from '#base/check-form.ts';
import { CHECK_NAME } from '#base/part-names.ts';
import { buildCheckName, isCheckOf } from '#operator/checks/name.ts';

const NAME = buildCheckName('prod', 'team-a/www');

test('the check of an object has a name that the service accepts, and that no object may refer to', () => {
  for (const name of [NAME, buildCheckName('p'.repeat(63), `${'n'.repeat(63)}/${'o'.repeat(253)}`)]) {
    expect(name).toMatch(CHECK_NAME);
    expect(isSharedCheck(name)).toBe(false);
  }
  expect(isSharedCheck('web')).toBe(true);
});

test('objects that differ in their cluster, namespace or name have different checks', () => {
  const keys = [
    ['prod', 'team-a/www'],
    ['test', 'team-a/www'],
    ['prod', 'team-b/www'],
    ['prod', 'team-a/web'],
    ['prod/team-a', 'www/www'],
  ] as const;
  expect(new Set(keys.map(([cluster, key]) => buildCheckName(cluster, key))).size).toBe(keys.length);
  expect(buildCheckName('prod', 'team-a/www')).toBe(NAME);
});

test('an operator takes only the checks of its cluster and of its namespaces for its own', () => {
  expect(isCheckOf(NAME, 'prod', undefined)).toBe(true);
  expect(isCheckOf(NAME, 'prod', ['team-b', 'team-a'])).toBe(true);
  expect(isCheckOf(NAME, 'prod', ['team-b'])).toBe(false);
  expect(isCheckOf(NAME, 'test', undefined)).toBe(false);
  expect(isCheckOf('web', 'prod', undefined)).toBe(false);
});
