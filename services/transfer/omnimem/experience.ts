import type { Experience } from '../../../domain/memory/experience.js';
import { readExperience } from '../experience.js';
import { jsonOrUndefined } from '../text.js';
import type { Fields } from './fields.js';

/** What a record of 6.x says of the work behind it; fields that cannot be understood stay among what is left. */
export const experienceIn = (from: Fields, when: number): Experience | undefined => {
  const approaches = from.take('abandoned_approaches');
  const { experience, unread } = readExperience(
    {
      effort_score: from.take('effort_score'),
      outcome: from.take('outcome'),
      iterations: from.take('iterations'),
      breakthrough: from.take('breakthrough'),
      gotchas: from.take('gotchas'),
      abandoned_approaches: approaches === undefined ? undefined : (jsonOrUndefined(approaches) ?? approaches),
    },
    when,
  );
  for (const name of unread) from.keep(name);
  return experience;
};
