import type { Redis } from 'iovalkey';
import { decodeTime } from 'ulid';
import type { Position } from '../../domain/envelope.js';
import { DomainError } from '../../domain/errors.js';
import type { Keys } from '../../projections/keys.js';

const PAGE = 1_000;
/** An id is made a moment before its event is appended, by a clock that may be a little off. */
const AROUND_MS = 60_000;

/** Whether a text has the form of the id of an event, a ULID. */
export const isEventId = (text: string): boolean => /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/i.test(text);

/** Where an event stands in the log, by its id: looked for around the time in it, then everywhere. Throws NOT_FOUND. */
export const placeOfEvent = async (redis: Redis, keys: Pick<Keys, 'log'>, id: string): Promise<Position> => {
  const made = decodeTime(id.toUpperCase());
  const near = await search(redis, keys, id, String(Math.max(0, made - AROUND_MS)), String(made + AROUND_MS));
  const place = near ?? (await search(redis, keys, id, '-', '+'));
  if (place !== undefined) return place;
  throw new DomainError('NOT_FOUND', `The log holds no event ${id}`, 'omnimem log --json shows the id and the position of each event');
};

const search = async (redis: Redis, keys: Pick<Keys, 'log'>, id: string, from: string, to: string): Promise<Position | undefined> => {
  for (let start = from; ; ) {
    const page = await redis.xrange(keys.log, start, to, 'COUNT', PAGE);
    const found = page.find(([, fields]) => fields.some((value, i) => i % 2 === 1 && fields[i - 1] === 'id' && value === id));
    if (found) return found[0];
    const last = page.at(-1);
    if (page.length < PAGE || !last) return undefined;
    start = `(${last[0]}`;
  }
};
