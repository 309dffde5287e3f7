import { fold } from '../../../../domain/decider.js';
import type { MemoryEvent } from '../../../../domain/memory/events.js';
import { isMemoryKey } from '../../../../domain/memory/key.js';
import { isLive, type Memory, memoryDecider } from '../../../../domain/memory/memory.js';
import type { Migration } from '../../../../domain/migration.js';

/** Only for tests: memories tagged `legacy` are tagged `modern`. */
export const migration: Migration = {
  number: 1,
  name: 'rename-a-tag',
  concerns: isMemoryKey,
  decide: (_subject, history) => {
    const memory = fold<Memory, MemoryEvent>(memoryDecider, history as readonly MemoryEvent[]);
    if (!isLive(memory) || !memory.tags.includes('legacy')) return [];
    const tags = memory.tags.map((tag) => (tag === 'legacy' ? 'modern' : tag));
    return [{ type: 'MemoryRetagged', data: { tags, previous_tags: [...memory.tags] } }];
  },
};
