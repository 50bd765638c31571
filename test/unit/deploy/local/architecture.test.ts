// The architectures of the images, as users and Node name them.
import { expect, test } from 'vitest';
import { hostArchitecture, readPlatforms } from '../../../../deploy/local/parts/architecture.ts';

test('a list of platforms gives each architecture once, in its order', () => {
  expect(readPlatforms('linux/arm64')).toEqual(['arm64']);
  expect(readPlatforms('linux/arm64, linux/amd64,linux/arm64')).toEqual(['arm64', 'x64']);
});

test.each(['linux/riscv64', 'arm64', ''])(
  'a platform without images is refused with those that have them: "%s"',
  (name) => {
    expect(() => readPlatforms(`linux/amd64,${name}`)).toThrow(
      `--platform linux/amd64,${name}: there are no images for "${name}". Write linux/amd64, linux/arm64, or both with a comma between them`,
    );
  },
);

test('a machine without images is told which architectures have them', () => {
  expect(hostArchitecture('arm64')).toBe('arm64');
  expect(() => hostArchitecture('riscv64')).toThrow(
    'This machine is riscv64, and there are no images for it, but for linux/amd64 and linux/arm64',
  );
});
