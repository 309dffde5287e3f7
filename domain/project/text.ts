/** The parts of a context as people write them. */
export type ContextTexts = {
  readonly description: string;
  readonly stack: string;
  readonly goals: string;
  readonly current_state: string;
  readonly notes?: string | undefined;
};

/**
 * A context as one text: what recall finds it by and shows. A line for each part that has words of its own; what is drawn
 * from memories is found by those memories.
 */
export const contextText = (name: string, { description, stack, goals, current_state, notes = '' }: ContextTexts): string =>
  [
    `Project ${name}`,
    description,
    stack && `Stack: ${stack}`,
    goals && `Goals: ${goals}`,
    current_state && `Current state: ${current_state}`,
    notes && `Notes: ${notes}`,
  ]
    .filter((line) => line !== '')
    .join('\n');
