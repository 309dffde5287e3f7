import type { Judgement } from '../../llm/judge.js';

/** Asks a model whether two texts contradict each other. */
export type Judge = (a: string, b: string, signal?: AbortSignal) => Promise<Judgement>;
