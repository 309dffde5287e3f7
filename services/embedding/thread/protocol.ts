/**
 * What the main thread asks of an encoder's thread. An urgent job is one query: its first window only, before any document.
 * `end` stops after the batch that runs: a thread that is terminated inside the ONNX runtime aborts the whole process.
 */
export type Request =
  | { readonly kind: 'encode'; readonly job: number; readonly texts: readonly string[]; readonly urgent: boolean }
  | { readonly kind: 'cancel'; readonly job: number }
  | { readonly kind: 'end' };

/** What it answers. `vectors` holds all windows of all texts, one after the other; `windows` says how many each text has. */
export type Reply =
  | { readonly kind: 'ready'; readonly loadMs: number }
  | { readonly kind: 'unusable'; readonly reason: string; readonly altered: boolean }
  | { readonly kind: 'encoded'; readonly job: number; readonly windows: readonly number[]; readonly vectors: Float32Array }
  | { readonly kind: 'refused'; readonly job: number; readonly reason: string };

/** What a thread needs from a model: text to windows, windows to vectors. */
export interface WindowEncoder<Window> {
  readonly dimension: number;
  /** A run takes at most so many windows, and so many tokens with their padding. */
  readonly batch: { readonly windows: number; readonly tokens: number };
  /** At least one window, in order; together they hold the whole text. */
  split(text: string): Window[];
  tokens(window: Window): number;
  /** One vector a window, in the same order. */
  encode(windows: readonly Window[]): Promise<Float32Array[]>;
}
