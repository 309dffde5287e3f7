import type { HealthIssue } from '../api.js';
import type { Late } from './register.js';

/** Erasures that stand still, and processes that may still hold what was erased. */
export type Erasing = {
  /** Cut off between two steps, and gone on with by itself. */
  readonly cut: number;
  /** Preview ids of erasures that somebody stopped half-way. */
  readonly cancelled: readonly string[];
  readonly late: readonly Late[];
};

export const erasureIssues = ({ cut, cancelled, late }: Erasing): readonly HealthIssue[] => {
  const issues: HealthIssue[] = [];
  if (cut > 0) {
    issues.push({
      code: 'ERASURE_CUT_OFF',
      severity: 'red',
      message: `${cut === 1 ? 'An erasure was' : `${cut} erasures were`} cut off half-way: a part of what was to be forgotten is still there`,
      hint: 'It is gone on with by itself while a server runs; if this stays, see its log',
    });
  }
  for (const id of cancelled) {
    issues.push({
      code: 'ERASURE_CANCELLED',
      severity: 'amber',
      message: 'An erasure was cancelled half-way: a part of what was to be forgotten is still there',
      hint: `To go on with it: omnimem forget --confirm ${id}`,
    });
  }
  for (const { name, seconds } of late) {
    issues.push({
      code: 'ERASURE_LATE',
      severity: 'red',
      message: `The ${name} has not passed the last erasure for ${seconds} s; forgotten text may still be in its memory`,
      hint: 'Restart that process; the erasure is confirmed when it has passed',
    });
  }
  return issues;
};

/** Erasures whose bytes may still be in the files of the server. */
export const diskIssues = ({
  count,
  refused,
}: {
  readonly count: number;
  readonly refused: string | undefined;
}): readonly HealthIssue[] => {
  if (count <= 0) return [];
  const erasures = count === 1 ? 'One erasure' : `${count} erasures`;
  if (refused === undefined)
    return [
      {
        code: 'ERASURE_PENDING',
        severity: 'amber',
        message: `${erasures} still to leave the files on the disk`,
        hint: 'Nothing to do: the server is asked to write its files anew; if this stays, see the log',
      },
    ];
  return [
    {
      code: 'ERASURE_ON_DISK',
      severity: 'amber',
      message: `${erasures} may still be in the files of the Valkey server, which does not rewrite them when OmniMem asks (${refused})`,
      hint: 'Have them rewritten there: BGREWRITEAOF, BGSAVE, older snapshots removed; or allow OmniMem those two commands. Then say so: omnimem forget --files-rewritten',
    },
  ];
};
