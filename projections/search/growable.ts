type Growable = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

/** The same array when it holds `length` elements, else a copy at least half as large again. New elements hold `filler`. */
export const grown = <T extends Growable>(array: T, length: number, filler = 0): T => {
  if (array.length >= length) return array;
  const Type = array.constructor as new (size: number) => T;
  const larger = new Type(Math.max(length, Math.ceil(array.length * 1.5), 64));
  larger.set(array);
  if (filler !== 0) larger.fill(filler, array.length);
  return larger;
};

/** Numbers free places of a table: the lowest fresh one, or one that was given back. */
export class Slots {
  private free: number[] = [];
  /** One beyond the highest slot ever taken. */
  end: number;

  constructor(end = 0, free: number[] = []) {
    this.end = end;
    this.free = free;
  }

  get used(): number {
    return this.end - this.free.length;
  }

  take(): number {
    return this.free.pop() ?? this.end++;
  }

  give(slot: number): void {
    this.free.push(slot);
  }
}
