/** Events after which nothing ever happens to their subject. A deleted project may be set anew. */
const FINAL: ReadonlySet<string> = new Set(['MemoryForgotten', 'TopicForgotten']);
/** Events that erase every payload of their subject before them. */
const ERASING: ReadonlySet<string> = new Set([...FINAL, 'ProjectDeleted']);

export const erases = (type: string | undefined): boolean => type !== undefined && ERASING.has(type);

/** Whether what was erased by an event of this type never comes back. */
export const erasesForGood = (type: string | undefined): boolean => type !== undefined && FINAL.has(type);
