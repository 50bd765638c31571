// The order of test files: those on the real node begin first, since each takes minutes, and a run must not end with
// one busy worker while the others idle.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ project }: TestSpecification) => project.name === 'node';
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
