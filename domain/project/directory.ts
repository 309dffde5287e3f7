import type { DomainEvent } from '../catalogue.js';
import type { State } from '../vocabulary.js';
import { nearNames } from './near-names.js';

/** Where a memory is filed. The context of a project is found like a memory and is none. */
export type Filed = { readonly project?: string | undefined; readonly state: State; readonly context?: unknown };

/** What the events of one project's own subject say of it. */
export type ProjectRecord = {
  readonly name: string;
  readonly context: boolean;
  /** Absent: never considered. Empty: considered, and none derivable. */
  readonly domains?: readonly string[];
  /** The project that this one counts as, when the two were merged. */
  readonly into?: string;
};

export type FiledCounts = { readonly [S in State]: number };

const NO_MEMORIES: FiledCounts = { active: 0, deprioritised: 0, archived: 0 };

/**
 * Which projects there are, by every spelling: a fold over the log. It knows a project by the memories that are filed under
 * it, by its context and by its declarations; of a project whose memories were all forgotten and whose context is gone
 * nothing is left. Names that were merged are one project; what is filed under one of them is found under all.
 */
export class ProjectDirectory {
  #records = new Map<string, ProjectRecord>();
  #memories = new Map<string, FiledCounts>();
  /** Every name by the project it counts as; made when it is asked for. */
  #groups: ReadonlyMap<string, readonly string[]> | undefined;

  /** What `records` said, before the memories are filed again. */
  restore(records: readonly ProjectRecord[]): void {
    this.#records = new Map(records.map((record) => [record.name, record]));
    this.#groups = undefined;
  }

  /** Everything but the memories, which their own documents tell. */
  records(): readonly ProjectRecord[] {
    return [...this.#records.values()];
  }

  /** A memory came (`before` absent), went (`after` absent) or changed its state. */
  refile(before: Filed | undefined, after: Filed | undefined): void {
    if (before?.project === after?.project && before?.state === after?.state) return;
    if (before) this.#count(before, -1);
    if (after) this.#count(after, 1);
  }

  #count({ project, state, context }: Filed, by: number): void {
    if (project === undefined || context !== undefined) return;
    const counts = this.#memories.get(project) ?? NO_MEMORIES;
    const after = { ...counts, [state]: counts[state] + by };
    if (after.active + after.deprioritised + after.archived > 0) this.#memories.set(project, after);
    else this.#memories.delete(project);
  }

  /** One more event of the subject of the project `name`. A merge is read from the side of the project that was merged away. */
  apply(name: string, event: DomainEvent): void {
    const before = this.#records.get(name) ?? { name, context: false };
    const after = evolve(before, event);
    if (after === before) return;
    if (after.context || after.domains !== undefined || after.into !== undefined) this.#records.set(name, after);
    else this.#records.delete(name);
    if (after.into !== before.into) this.#groups = undefined;
  }

  /** The name that this one counts as: itself, unless it was merged into another. */
  canonical(name: string): string {
    const chain = this.chainOf(name);
    const last = chain.at(-1) ?? name;
    const next = this.#records.get(last)?.into;
    if (next === undefined) return last;
    // A circle is refused when it is asked for, but two logs that are put together may hold one: all of it agrees on one name.
    return chain.slice(chain.indexOf(next)).sort()[0] ?? last;
  }

  /** The name, what it was merged into, what that was merged into, and so on. */
  chainOf(name: string): readonly string[] {
    const chain = [name];
    for (let next = this.#records.get(name)?.into; next !== undefined && !chain.includes(next); next = this.#records.get(next)?.into) {
      chain.push(next);
    }
    return chain;
  }

  /** Every name that counts as the same project, the canonical one first. */
  namesOf(name: string): readonly string[] {
    const canonical = this.canonical(name);
    this.#groups ??= this.#grouped();
    return this.#groups.get(canonical) ?? [canonical];
  }

  #grouped(): ReadonlyMap<string, readonly string[]> {
    const groups = new Map<string, string[]>();
    for (const name of [...this.#records.keys()].sort()) {
      if (this.#records.get(name)?.into === undefined) continue;
      const canonical = this.canonical(name);
      const others = groups.get(canonical) ?? [canonical];
      if (name !== canonical) others.push(name);
      groups.set(canonical, others);
    }
    return groups;
  }

  /** Whether anything is known under the name, or under one that counts as the same. */
  isKnown(name: string): boolean {
    return this.namesOf(name).some((one) => this.#isUsed(one));
  }

  #isUsed(name: string): boolean {
    const record = this.#records.get(name);
    return this.#memories.has(name) || record?.context === true || record?.domains !== undefined;
  }

  /** The names of all projects that are known, one for each. */
  names(): readonly string[] {
    const used = [...this.#memories.keys(), ...this.#records.keys()].filter((name) => this.#isUsed(name));
    return [...new Set(used.map((name) => this.canonical(name)))].sort();
  }

  /** Projects that may be meant by an unknown name, nearest first. Empty for one that is known. */
  near(name: string): readonly string[] {
    if (this.isKnown(name)) return [];
    const spellings = this.names().flatMap((project) => this.namesOf(project));
    return [...new Set(nearNames(name, spellings).map((spelling) => this.canonical(spelling)))];
  }

  hasContext(name: string): boolean {
    return this.namesOf(name).some((one) => this.#records.get(one)?.context === true);
  }

  /** Memories filed under the project, by state. */
  memoriesOf(name: string): FiledCounts {
    return this.namesOf(name)
      .map((one) => this.#memories.get(one) ?? NO_MEMORIES)
      .reduce((a, b) => ({
        active: a.active + b.active,
        deprioritised: a.deprioritised + b.deprioritised,
        archived: a.archived + b.archived,
      }));
  }

  /** The domains declared for a project; undefined when it never was considered. What it was merged from declares nothing more. */
  domainsOf(name: string): readonly string[] | undefined {
    return this.#records.get(this.canonical(name))?.domains;
  }

  /** The projects that declare a domain, by name. An archived project, of whose memories none is in use, is left out. */
  inDomain(domain: string): readonly string[] {
    return [...this.#records.values()]
      .filter(({ name, domains }) => domains?.includes(domain) && this.canonical(name) === name && !this.#isArchived(name))
      .map(({ name }) => name)
      .sort();
  }

  /** Every domain that a project declares. */
  domains(): ReadonlySet<string> {
    return new Set([...this.#records.values()].flatMap(({ domains = [] }) => domains));
  }

  #isArchived(name: string): boolean {
    const { active, deprioritised, archived } = this.memoriesOf(name);
    return archived > 0 && active + deprioritised === 0;
  }
}

const evolve = (record: ProjectRecord, event: DomainEvent): ProjectRecord => {
  const { name } = record;
  switch (event.type) {
    case 'ProjectContextSet':
      return record.context ? record : { ...record, context: true };
    case 'ProjectDomainsDeclared':
      return { ...record, domains: event.data.domains };
    case 'ProjectContextWithdrawn':
      return { ...record, context: false };
    case 'ProjectDeleted':
      // All before it is erased, merges included: a replay begins here.
      return { name, context: false };
    case 'ProjectsMerged': {
      const { from, into, undone } = event.data;
      if (from !== name || (undone && record.into !== into)) return record;
      const { into: _before, ...rest } = record;
      return undone ? rest : { ...rest, into };
    }
    default:
      return record;
  }
};
