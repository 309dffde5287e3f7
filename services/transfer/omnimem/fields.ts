import { aliasForm } from '../../../domain/alias.js';
import { DomainError } from '../../../domain/errors.js';
import { jsonOrUndefined } from '../text.js';
import { fromDumpTime } from '../times.js';

/** Takes the fields one by one, so that none is forgotten. */
export class Fields {
  readonly #all: ReadonlyMap<string, string>;
  readonly #taken = new Set<string>();

  constructor(fields: Readonly<Record<string, string>>) {
    this.#all = new Map(Object.entries(fields));
  }

  /** Blank counts as absent, as it does in the contract. */
  take(name: string): string | undefined {
    this.#taken.add(name);
    return this.#all.get(name) || undefined;
  }

  takeList(name: string): readonly string[] {
    const text = this.take(name);
    if (text === undefined) return [];
    const list = jsonOrUndefined(text);
    if (Array.isArray(list) && list.every((item) => typeof item === 'string')) return list;
    throw new DomainError('VALIDATION', `The field ${name} is no JSON list of texts`, 'It looks like ["one","two"]');
  }

  /** The value when it is one of these; else it stays among what is left. */
  takeOneOf<T extends string>(name: string, values: readonly T[]): T | undefined {
    const text = this.#all.get(name) ?? '';
    const found = values.find((value) => value === aliasForm(text).replaceAll('-', '_') || value === text);
    if (found !== undefined || text === '') this.#taken.add(name);
    return found;
  }

  takeTime(name: string): number | undefined {
    const time = fromDumpTime(this.#all.get(name) ?? '');
    if (time !== undefined || this.#all.get(name) === '') this.#taken.add(name);
    return time;
  }

  /** Lets a field go that says what follows from the others. */
  drop(name: string, derived: (text: string) => boolean): void {
    const text = this.#all.get(name);
    if (text !== undefined && (text === '' || derived(text))) this.#taken.add(name);
  }

  keep(name: string): void {
    this.#taken.delete(name);
  }

  get left(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.#all].filter(([name, value]) => !this.#taken.has(name) && !IS_EMPTY.test(value)));
  }
}

const IS_EMPTY = /^(\[\]|\{\})?$/;
