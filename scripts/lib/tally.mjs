/**
 * Counts a report of vitest's JSON reporter. A file that could not be loaded, or an error outside any test, is a failure
 * that the report's own count of failed tests leaves out; so are the checks that ran before.
 */
export const tally = (report, failedChecks) => {
  const { numPassedTests = 0, numFailedTests = 0, numPendingTests = 0, numTodoTests = 0, testResults = [], success = false } = report ?? {};
  const brokenFiles = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((result) => result.status === 'failed'),
  ).length;
  const counted = numFailedTests + brokenFiles;
  return {
    passed: numPassedTests,
    failed: counted + (counted === 0 && !success ? 1 : 0) + failedChecks,
    skipped: numPendingTests + numTodoTests,
  };
};
