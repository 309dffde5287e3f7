import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** These kill processes, or count what is left in their own: each has a process to itself. */
const ALONE = ['test/faults/**/*.test.ts', 'test/e2e/mcp/soak.test.ts', 'test/e2e/mcp/sessions.test.ts'];

/** Rooms by how long their files take: no long file may begin when the others are done. */
const ROOMS = ['test/faults/', 'test/e2e/cli/', 'test/integration/', 'test/e2e/', 'test/specs/'];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const roomOf = ({ moduleId }: TestSpecification): number => ROOMS.findIndex((room) => moduleId.includes(`/${room}`));
    return (await super.sort(files)).sort((a, b) => roomOf(a) - roomOf(b));
  }
}

const project = (name: string, test: TestProjectInlineConfiguration['test']): TestProjectInlineConfiguration => ({
  extends: true,
  test: { name, ...test },
});

export default defineConfig({
  test: {
    testTimeout: 120_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 20_000 } },
    setupFiles: ['test/support/chance.ts'],
    // One more than the two cores that the suite is measured on: much of it waits for other processes.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    reporters: ['default'],
    projects: [
      project('alone', { include: ALONE }),
      // Files that come one after the other in a process share what they import; none changes a module.
      project('shared', { include: ['test/**/*.test.ts'], exclude: [...ALONE, 'test/bench/**'], isolate: false }),
    ],
  },
});
