import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../services/config.js';

type Tally = (report: unknown, failedChecks: number) => { passed: number; failed: number; skipped: number };
const { tally } = (await import(`${pathToFileURL(projectRoot()).href}/scripts/lib/tally.mjs`)) as { tally: Tally };

const report = { numPassedTests: 5, numFailedTests: 0, numPendingTests: 2, numTodoTests: 1, success: true, testResults: [] };
const file = (status: string, ...results: string[]): object => ({ status, assertionResults: results.map((each) => ({ status: each })) });

describe('the last line of npm test', () => {
  it('counts tests', () => expect(tally(report, 0)).toEqual({ passed: 5, failed: 0, skipped: 3 }));
  it('counts a file that cannot be loaded as a failure', () =>
    expect(
      tally({ ...report, success: false, numFailedTests: 1, testResults: [file('failed'), file('failed', 'failed', 'passed')] }, 0).failed,
    ).toBe(2));
  it('counts a failed check', () => expect(tally(report, 2).failed).toBe(2));
  it('counts an error outside any test', () => expect(tally({ ...report, success: false }, 0).failed).toBe(1));
  it('counts a run without a report as a failure', () => expect(tally(undefined, 0)).toEqual({ passed: 0, failed: 1, skipped: 0 }));
});
