/** Events that erase every payload of their subject before them. */
const ERASING: ReadonlySet<string> = new Set(['MemoryForgotten', 'ProjectDeleted']);

export const erases = (type: string | undefined): boolean => type !== undefined && ERASING.has(type);
