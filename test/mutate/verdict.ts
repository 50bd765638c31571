// Decides from a report of vitest whether the tests noticed a fault. Pure.

/** The fields of vitest's JSON report that the decision needs. */
export interface Report {
  readonly numTotalTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

export type Verdict =
  /** At least one test failed. */
  | { readonly kind: 'killed'; readonly by: string }
  /** Tests ran, and all of them passed. */
  | { readonly kind: 'survived'; readonly passed: number }
  /** No test judged the fault: the run ended without a report, a file did not load, or no test was found. */
  | { readonly kind: 'unjudged'; readonly why: string };

/** @param report null when vitest wrote none */
export function judge(report: Report | null): Verdict {
  if (report === null) return { kind: 'unjudged', why: 'vitest ended without a report' };
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = tests.find(({ status }) => status === 'failed');
  if (failed !== undefined) return { kind: 'killed', by: failed.fullName };
  const broken = report.testResults.find(({ status }) => status === 'failed');
  if (broken !== undefined) {
    return { kind: 'unjudged', why: `${broken.name} failed outside of a test: ${broken.message ?? 'no message'}` };
  }
  const passed = tests.filter(({ status }) => status === 'passed').length;
  return passed === 0 ? { kind: 'unjudged', why: 'no test ran' } : { kind: 'survived', passed };
}
