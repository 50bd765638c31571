// Which test file begins when: those on the real node first, since each takes minutes, and a run must not end with one worker busy
// and the others idle. It must not know what is in a file.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ project }: TestSpecification) => project.name === 'node';
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
