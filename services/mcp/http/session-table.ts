/** What the table must be able to do with a session of either kind. */
export type Closable = {
  /** Whether calls run in it, also such as their client has left. */
  readonly busy: () => boolean;
  readonly close: () => Promise<void>;
};

type Entry<Session> = { readonly session: Session; uses: number; lastUsed: number };

export type SessionTable<Session> = {
  /** False when the table is full and none of its sessions is idle. */
  readonly add: (id: string, session: Session) => boolean;
  /** The session, in use until `done` settles; undefined for an id that is unknown or expired. */
  readonly use: (id: string, done: Promise<void>) => Session | undefined;
  /** Forgets the session without closing it. */
  readonly remove: (id: string) => void;
  readonly size: () => number;
  readonly closeAll: () => Promise<void>;
};

export type TableBounds = { readonly idleMs: number; readonly max: number; readonly now?: () => number };

const SWEEPS_PER_IDLE_TIME = 10;

/**
 * Sessions by id. One that nobody used for `idleMs` is closed; when a new one finds the table full, the one idle for longest
 * gives way. A session with an open request or stream, or a running call, is never idle.
 */
export const createSessionTable = <Session extends Closable>({ idleMs, max, now = Date.now }: TableBounds): SessionTable<Session> => {
  // Kept in order of last use: the first idle entry is the one idle for longest.
  const entries = new Map<string, Entry<Session>>();

  const end = (id: string): Promise<void> => {
    const entry = entries.get(id);
    entries.delete(id);
    return entry ? entry.session.close() : Promise.resolve();
  };
  const idle = (): string[] => [...entries].filter(([, { uses, session }]) => uses === 0 && !session.busy()).map(([id]) => id);
  const touch = (id: string, entry: Entry<Session>): void => {
    entry.lastUsed = now();
    entries.delete(id);
    entries.set(id, entry);
  };

  const sweep = setInterval(
    () => {
      for (const id of idle()) if (now() - (entries.get(id)?.lastUsed ?? 0) >= idleMs) void end(id);
    },
    Math.max(10, Math.min(60_000, idleMs / SWEEPS_PER_IDLE_TIME)),
  );
  sweep.unref();

  return {
    add: (id, session) => {
      if (entries.size >= max) {
        const oldest = idle()[0];
        if (oldest === undefined) return false;
        void end(oldest);
      }
      entries.set(id, { session, uses: 0, lastUsed: now() });
      return true;
    },
    use: (id, done) => {
      const entry = entries.get(id);
      if (!entry) return undefined;
      entry.uses++;
      touch(id, entry);
      void done.then(() => {
        entry.uses--;
        if (entries.get(id) === entry) touch(id, entry);
      });
      return entry.session;
    },
    remove: (id) => void entries.delete(id),
    size: () => entries.size,
    closeAll: async () => {
      clearInterval(sweep);
      await Promise.all([...entries.keys()].map(end));
    },
  };
};
