import type { DomainEvent } from '../../domain/catalogue.js';
import type { LogEntry } from '../../domain/envelope.js';
import { erases } from '../../domain/erasure.js';
import { memories } from '../memories.js';
import { type Applied, type Row, withFields } from '../projection.js';

/** A memory's row after one more of its events, by the rule of the memories view. Empty when there is no row. */
export const rowAfter = (row: Row, event: Applied): Row => {
  let fields = row;
  for (const write of memories.apply(event, new Map([[event.envelope.subject, row]]))) {
    if (write.op === 'del') fields = {};
    if (write.op === 'set') fields = withFields(fields, write.fields);
  }
  return fields;
};

/** A memory's row from its events, oldest first. It stands still at one that cannot be read; erased ones say nothing. */
export const foldRow = (entries: readonly LogEntry<DomainEvent>[]): Row => {
  let row: Row = {};
  let readable = true;
  for (const entry of entries) {
    if (entry.kind === 'fault') readable = false;
    if (entry.kind === 'event' && (readable || erases(entry.event.type))) row = rowAfter(row, entry.event);
  }
  return row;
};
