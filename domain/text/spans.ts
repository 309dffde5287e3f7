/** A stretch of a folded text that says one thing in several words or signs, and the terms that it is known by however it is written. */
export type Span = { readonly from: number; readonly to: number; readonly terms: readonly string[] };
