import { isDomainError } from '../../domain/errors.js';
import { maintenanceDue } from '../commands/maintenance/due.js';
import { MAINTENANCE_ACTOR, maintain } from '../commands/maintenance/maintain.js';
import type { CommandParts } from '../commands/parts.js';

export type BriefedMaintenanceParts = CommandParts & { readonly onTrouble: (message: string, error?: unknown) => void };

/**
 * Maintenance of a project after every so many briefings of it, behind the answer, so that nobody waits for it; the next
 * briefing tells what it did.
 */
export const createBriefedMaintenance = (parts: BriefedMaintenanceParts) => {
  const stopping = new AbortController();
  const running = new Map<string, Promise<void>>();

  const runWhenDue = async (project: string): Promise<void> => {
    try {
      if (!(await maintenanceDue(parts, project)) || stopping.signal.aborted) return;
      await maintain(parts, { project }, { actor: MAINTENANCE_ACTOR, signal: stopping.signal });
    } catch (error) {
      // Another process is at it, and the count goes on.
      if (!stopping.signal.aborted && !isDomainError(error, 'CONFLICT')) parts.onTrouble('maintenance after a briefing failed', error);
    } finally {
      running.delete(project);
    }
  };

  return {
    briefed: (project: string): void => {
      if (!running.has(project)) running.set(project, runWhenDue(project));
    },
    close: async (): Promise<void> => {
      stopping.abort();
      await Promise.all(running.values());
    },
  };
};
