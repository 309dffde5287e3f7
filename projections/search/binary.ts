/**
 * A flat binary form: each part is its length in bytes (uint32, little endian) and the bytes. Numbers are in the
 * machine's own order; every platform that Node runs on is little endian.
 */
export class BinaryWriter {
  private readonly parts: Uint8Array[] = [];

  /** Copies nothing: write the parts out before the array changes. */
  array(array: Uint8Array | Uint16Array | Uint32Array | Int32Array | Float32Array | Float64Array): void {
    this.parts.push(new Uint8Array(Uint32Array.of(array.byteLength).buffer));
    this.parts.push(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  }

  numbers(...values: number[]): void {
    this.array(Float64Array.from(values));
  }

  strings(values: readonly string[]): void {
    const encoded = values.map((value) => Buffer.from(value));
    this.array(Uint32Array.from(encoded, (bytes) => bytes.length));
    this.array(Buffer.concat(encoded));
  }

  /** The parts to write one after the other. */
  chunks(): readonly Uint8Array[] {
    return this.parts;
  }
}

/** Reads what `BinaryWriter` wrote, in the same order. A part that does not fit throws RangeError. */
export class BinaryReader {
  private at = 0;
  private readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  uint8(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.part());
  }

  uint16(): Uint16Array<ArrayBuffer> {
    return new Uint16Array(this.part());
  }

  uint32(): Uint32Array<ArrayBuffer> {
    return new Uint32Array(this.part());
  }

  int32(): Int32Array<ArrayBuffer> {
    return new Int32Array(this.part());
  }

  float32(): Float32Array<ArrayBuffer> {
    return new Float32Array(this.part());
  }

  float64(): Float64Array<ArrayBuffer> {
    return new Float64Array(this.part());
  }

  numbers(): number[] {
    return [...this.float64()];
  }

  strings(): string[] {
    const lengths = this.uint32();
    const text = Buffer.from(this.part());
    let end = 0;
    return Array.from(lengths, (length) => {
      end += length;
      return text.toString('utf8', end - length, end);
    });
  }

  /** A copy, since a view into a file's bytes is not aligned. */
  private part(): ArrayBuffer {
    const length = new DataView(this.bytes.buffer, this.bytes.byteOffset + this.at, 4).getUint32(0, true);
    const start = this.at + 4;
    this.at = start + length;
    if (this.at > this.bytes.length) throw new RangeError('the file ends inside a part');
    return new Uint8Array(this.bytes.subarray(start, this.at)).buffer;
  }
}
