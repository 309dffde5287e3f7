import { DomainError } from '../../../domain/errors.js';
import { isMemoryKey } from '../../../domain/memory/key.js';
import type { MemoryRow } from '../../../projections/memories.js';
import type { Call, GetExperienceInput, GetExperienceResult } from '../../api.js';
import { askEarlier, told } from '../../history/as-of.js';
import type { QueryParts } from '../parts.js';
import { filedRow, rowsOf } from '../rows.js';
import { experienceFields, rowHasExperience } from './fields.js';

/** What is known of the work behind one memory; dead ends alone are something. Throws VALIDATION for what is no key. */
export const getExperience = async (parts: QueryParts, input: GetExperienceInput, call: Call): Promise<GetExperienceResult> => {
  const key = input.key.trim();
  if (!isMemoryKey(key))
    throw new DomainError('VALIDATION', 'This is no memory key', 'A key looks like mem:episodic:01J…; recall shows them');
  if (input.as_of !== undefined) {
    const { answer, ...earlier } = await askEarlier(parts, input.as_of, call, async (then, moment) => {
      const row = (await moment.rows([key])).get(key);
      return row && filedRow(then, row);
    });
    return { ...experienceIn(key, answer), ...told(earlier) };
  }
  const stale = await parts.fresh();
  return { ...experienceIn(key, (await rowsOf(parts, [key])).get(key)), ...(stale && { stale }) };
};

const experienceIn = (key: string, row: MemoryRow | undefined): GetExperienceResult => {
  if (!row) return { status: 'not_found', key };
  if (!rowHasExperience(row)) return { status: 'no_experience', key };
  return { status: 'found', key, state: row.state, ...(row.project !== undefined && { project: row.project }), ...experienceFields(row) };
};
