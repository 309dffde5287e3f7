/** Sessions and projects that are kept in mind at once; the ones used least recently go first. */
const SESSIONS = 1_000;
const PROJECTS = 200;

/** Which version of which project, by its key, each session has read, for as long as the process lives: whoever has read writes with care. */
export type SessionReads = {
  /** The session has the text of this version before it. Without a session nothing is noted. */
  readonly note: (session: string | undefined, project: string, version: number) => void;
  /** The newest version that the session has read; undefined when it has read none, or too much since. */
  readonly seen: (session: string | undefined, project: string) => number | undefined;
};

export const createSessionReads = (): SessionReads => {
  const sessions = new Map<string, Map<string, number>>();
  return {
    note: (session, project, version) => {
      if (session === undefined) return;
      const projects = sessions.get(session) ?? new Map<string, number>();
      moveToEnd(projects, project, Math.max(version, projects.get(project) ?? 0), PROJECTS);
      moveToEnd(sessions, session, projects, SESSIONS);
    },
    seen: (session, project) => (session === undefined ? undefined : sessions.get(session)?.get(project)),
  };
};

const moveToEnd = <Value>(map: Map<string, Value>, key: string, value: Value, most: number): void => {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
};
