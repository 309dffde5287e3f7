/** How long a command waits for its turn before it goes all the same: versions still decide who was first. */
const PATIENCE_MS = 2_000;

/**
 * Lets the commands of this process that touch one subject go one after another. Side by side each of them would refuse all
 * the others' versions, and the last of many would be refused for good.
 */
export class Turns {
  #last = new Map<string, Promise<void>>();

  async take<T>(subjects: readonly string[], work: () => Promise<T>): Promise<T> {
    const before = subjects.flatMap((subject) => this.#last.get(subject) ?? []);
    const { promise: mine, resolve: done } = withResolvers();
    // All at once, so that two commands on the same subjects never wait for each other.
    for (const subject of subjects) this.#last.set(subject, mine);
    try {
      if (before.length > 0) await withinPatience(Promise.all(before));
      return await work();
    } finally {
      done();
      for (const subject of subjects) if (this.#last.get(subject) === mine) this.#last.delete(subject);
    }
  }
}

const withResolvers = (): { readonly promise: Promise<void>; readonly resolve: () => void } => {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve: () => resolve() };
};

const withinPatience = async (turn: Promise<unknown>): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const impatient = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS);
  });
  await Promise.race([turn, impatient]);
  clearTimeout(timer);
};
