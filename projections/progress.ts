import { comparePositions, type Position } from '../domain/envelope.js';

/** How far each view got in this process, and who waits for it. */
export type Progress = {
  readonly reached: (name: string, position: Position) => void;
  /** The view is no longer written here: whoever waits must look elsewhere. */
  readonly lost: (name: string) => void;
  readonly position: (name: string) => Position | undefined;
  /** `lost` when one of the views is not, or no longer, written here. */
  readonly wait: (names: readonly string[], position: Position, timeoutMs: number) => Promise<'reached' | 'late' | 'lost'>;
};

type Waiter = {
  readonly names: readonly string[];
  readonly position: Position;
  readonly settle: (outcome: 'reached' | 'late' | 'lost') => void;
};

export const createProgress = (): Progress => {
  const positions = new Map<string, Position>();
  const waiters = new Set<Waiter>();

  const outcome = ({ names, position }: Pick<Waiter, 'names' | 'position'>): 'reached' | 'lost' | undefined => {
    if (names.some((name) => !positions.has(name))) return 'lost';
    return names.every((name) => comparePositions(positions.get(name) ?? '', position) >= 0) ? 'reached' : undefined;
  };

  const look = (): void => {
    for (const waiter of waiters) {
      const result = outcome(waiter);
      if (result) waiter.settle(result);
    }
  };

  return {
    reached: (name, position) => {
      positions.set(name, position);
      look();
    },
    lost: (name) => {
      positions.delete(name);
      look();
    },
    position: (name) => positions.get(name),
    wait: (names, position, timeoutMs) => {
      const already = outcome({ names, position });
      if (already) return Promise.resolve(already);
      return new Promise((resolve) => {
        const waiter: Waiter = {
          names,
          position,
          settle: (result) => {
            waiters.delete(waiter);
            clearTimeout(timer);
            resolve(result);
          },
        };
        const timer = setTimeout(() => waiter.settle('late'), timeoutMs);
        waiters.add(waiter);
      });
    },
  };
};
