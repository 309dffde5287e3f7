const FIRST = 3;
const SECOND = 6;

/** Numbered terms by how they begin: by their first three characters, then by their first six. */
export class Beginnings {
  private readonly groups = new Map<string, Map<string, number[]>>();
  /** Entries, those of terms that are gone among them. */
  entries = 0;

  /** Terms of fewer than three characters are left out. A term that goes need not be taken out: whoever finds it looks at it. */
  add(term: string, id: number): void {
    if (term.length < FIRST) return;
    const first = term.slice(0, FIRST);
    const second = term.slice(0, SECOND);
    const group = this.groups.get(first) ?? new Map<string, number[]>();
    this.groups.set(first, group);
    const ids = group.get(second);
    if (ids) ids.push(id);
    else group.set(second, [id]);
    this.entries++;
  }

  /** Lists with the numbers that terms with this beginning of at least three characters were added under, some of them twice, and of others. */
  candidates(start: string): readonly (readonly number[])[] {
    const group = this.groups.get(start.slice(0, FIRST));
    if (!group) return [];
    if (start.length >= SECOND) return [group.get(start.slice(0, SECOND)) ?? []];
    return [...group].flatMap(([beginning, ids]) => (beginning.startsWith(start) ? [ids] : []));
  }
}
