/** Runs one function at a time, in the order of asking. */
export type Lock = <T>(work: () => Promise<T>) => Promise<T>;

export const createLock = (): Lock => {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work, work);
    last = mine.catch(() => undefined);
    return mine;
  };
};
