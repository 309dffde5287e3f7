import { LICENCES, NAMESPACES, STATES } from '../../domain/vocabulary.js';
import type { BinaryReader, BinaryWriter } from './binary.js';
import { grown } from './growable.js';
import type { Facets, Filter } from './ports.js';

const EMPTY_SLOT = 255;
const KINDS = STATES.length * NAMESPACES.length * LICENCES.length;

const codeOf = <T>(values: readonly T[], value: T): number => {
  const code = values.indexOf(value);
  if (code < 0) throw new RangeError(`unknown facet value ${String(value)}`);
  return code;
};

const kindOf = (facets: Facets): number =>
  (codeOf(STATES, facets.state) * NAMESPACES.length + codeOf(NAMESPACES, facets.namespace)) * LICENCES.length +
  codeOf(LICENCES, facets.licence);

/** A filter made ready for one table. */
export type Matcher = {
  matches(slot: number): boolean;
  /** At most this many slots match; exact when neither project nor time is asked for. */
  readonly atMost: number;
};

/** The filterable side of memories, by slot, in typed arrays: 13 bytes a memory. */
export class FacetTable {
  /** State, namespace and licence as one number. */
  private kinds = new Uint8Array(0);
  /** 0 is no project. */
  private projects = new Uint32Array(0);
  private createdAt = new Float64Array(0);
  private readonly projectIds = new Map<string, number>();
  private readonly perKind = new Uint32Array(KINDS);
  private perProject = new Uint32Array(1);

  set(slot: number, facets: Facets): void {
    this.clear(slot);
    const kind = kindOf(facets);
    const project = this.projectId(facets.project);
    this.kinds[slot] = kind;
    this.projects[slot] = project;
    this.createdAt[slot] = facets.createdAt;
    this.count(kind, project, 1);
  }

  clear(slot: number): void {
    this.kinds = grown(this.kinds, slot + 1, EMPTY_SLOT);
    this.projects = grown(this.projects, slot + 1);
    this.createdAt = grown(this.createdAt, slot + 1);
    const kind = this.kinds[slot] as number;
    if (kind === EMPTY_SLOT) return;
    this.count(kind, this.projects[slot] as number, -1);
    this.kinds[slot] = EMPTY_SLOT;
  }

  compile(filter: Filter): Matcher {
    const kindAllowed = allowedKinds(filter);
    const projectAllowed = this.allowedProjects(filter.projects);
    const { createdFrom = Number.NEGATIVE_INFINITY, createdTo = Number.POSITIVE_INFINITY } = filter;
    const timed = filter.createdFrom !== undefined || filter.createdTo !== undefined;
    const { kinds, projects, createdAt } = this;
    const atMost = Math.min(
      weightedSum(kindAllowed, this.perKind),
      projectAllowed ? weightedSum(projectAllowed, this.perProject) : Infinity,
    );
    const matches = (slot: number): boolean =>
      kindAllowed[kinds[slot] as number] === 1 &&
      (projectAllowed === undefined || projectAllowed[projects[slot] as number] === 1) &&
      (!timed || ((createdAt[slot] as number) >= createdFrom && (createdAt[slot] as number) <= createdTo));
    return { matches, atMost };
  }

  dump(to: BinaryWriter, end: number): void {
    to.array(this.kinds.subarray(0, end));
    to.array(this.projects.subarray(0, end));
    to.array(this.createdAt.subarray(0, end));
    to.strings([...this.projectIds.keys()]);
  }

  static load(from: BinaryReader): FacetTable {
    const table = new FacetTable();
    table.kinds = from.uint8();
    table.projects = from.uint32();
    table.createdAt = from.float64();
    for (const project of from.strings()) table.projectId(project);
    table.kinds.forEach((kind, slot) => {
      if (kind !== EMPTY_SLOT) table.count(kind, table.projects[slot] as number, 1);
    });
    return table;
  }

  private count(kind: number, project: number, by: 1 | -1): void {
    this.perKind[kind] = (this.perKind[kind] as number) + by;
    this.perProject[project] = (this.perProject[project] as number) + by;
  }

  private projectId(project: string | undefined): number {
    if (project === undefined) return 0;
    const known = this.projectIds.get(project);
    if (known !== undefined) return known;
    const id = this.projectIds.size + 1;
    this.projectIds.set(project, id);
    this.perProject = grown(this.perProject, id + 1);
    return id;
  }

  private allowedProjects(projects: readonly string[] | undefined): Uint8Array | undefined {
    if (projects === undefined) return undefined;
    const allowed = new Uint8Array(this.projectIds.size + 1);
    for (const project of projects) {
      const id = this.projectIds.get(project);
      if (id !== undefined) allowed[id] = 1;
    }
    return allowed;
  }
}

/** One filter is put to the tables of every namespace, and read once for all of them. */
const kindsOf = new WeakMap<Filter, Uint8Array>();

const allowedKinds = (filter: Filter): Uint8Array => {
  const known = kindsOf.get(filter);
  if (known) return known;
  const { states, namespaces, licences } = filter;
  const allowed = new Uint8Array(256);
  let kind = 0;
  for (const state of STATES)
    for (const namespace of NAMESPACES)
      for (const licence of LICENCES) {
        const match =
          (states?.includes(state) ?? true) && (namespaces?.includes(namespace) ?? true) && (licences?.includes(licence) ?? true);
        allowed[kind++] = match ? 1 : 0;
      }
  kindsOf.set(filter, allowed);
  return allowed;
};

const weightedSum = (weights: Uint8Array, values: Uint32Array): number => {
  let sum = 0;
  const length = Math.min(weights.length, values.length);
  for (let i = 0; i < length; i++) sum += (weights[i] as number) * (values[i] as number);
  return sum;
};
