import type { ProjectionStatus } from '../../projections/status.js';
import type { HealthIssue, HealthResult } from '../api.js';

/** A view that the last verify found wrong, until one passes or another generation serves. */
export const verifyIssues = ({ name, generation, verified }: ProjectionStatus): HealthIssue[] =>
  verified && !verified.equal && verified.generation === generation
    ? [
        {
          code: 'VERIFY_FAILED',
          severity: 'red',
          message: `${verified.differing} rows of the ${name} view differed from its replay at ${new Date(verified.at).toISOString()}`,
          hint: `Run omnimem replay --projection ${name}`,
        },
      ]
    : [];

/** How a view stands, in the answer of the `health` tool. */
export const standingOf = (view: ProjectionStatus): HealthResult['projections'][string] => ({
  generation: view.generation ?? 0,
  lag_events: view.lagEvents,
  degraded: view.degraded.size,
  dead_letters: view.deadLetters,
  ...(view.verified && {
    verified: {
      at: new Date(view.verified.at).toISOString(),
      equal: view.verified.equal,
      rows_differing: view.verified.differing,
    },
  }),
});
