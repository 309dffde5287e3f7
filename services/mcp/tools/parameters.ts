import { z } from 'zod';
import { MAX_NAMED_DOMAINS } from '../../../domain/domains.js';
import { INGEST_MODES, LIMITS, NAMESPACES } from '../../../domain/vocabulary.js';
import { LONG_TEXT } from '../bounds.js';

/** Parameters that several tools share, so that they read and behave the same everywhere. */

const figure = (value: number): string => value.toLocaleString('en-GB');

export const content = z
  .string()
  .max(LONG_TEXT)
  .describe(`The text, as it should be found later: at most ${figure(LIMITS.content)} characters.`);
export const project = z.string().optional().describe('Project that it belongs to: letters, digits, blanks, dots, _ and -.');
export const tags = z
  .array(z.string())
  .optional()
  .describe(`Labels such as python, bug-fix, decision: at most ${LIMITS.tags}, each at most ${LIMITS.tag} characters.`);
export const namespace = z
  .enum(NAMESPACES)
  .optional()
  .describe('episodic: what happened (default). project: facts of a project. preference: rules of the human. knowledge: from outside.');
export const mode = z
  .enum(INGEST_MODES)
  .optional()
  .describe('full: also queued for enrichment; raw: kept as it is. Default: the server setting INGEST_MODE.');
export const licence = z
  .string()
  .optional()
  .describe(
    'Rights in the text: own, open, restricted, unknown, or an identifier such as MIT or CC-BY-4.0. Default: own, for knowledge unknown.',
  );
export const licenceNote = z.string().optional().describe(`A note on the licence, at most ${LIMITS.licenceNote} characters.`);
export const provenance = z
  .string()
  .optional()
  .describe('Who speaks: asserted (the human said it), concluded (worked out by you), retrieved (a source says it). Default by namespace.');
export const key = z.string().describe('Key of the memory, such as mem:episodic:01J….');
export const keyOrQuery = z.string().describe('Key of one memory, or words: then the memories that say just these, or nearly, are taken.');

export const recallParameters = {
  query: z
    .string()
    .max(10_000)
    .describe('A question in plain words, or an exact identifier, error code or name: at most 10,000 characters.'),
  namespaces: z.array(z.enum(NAMESPACES)).optional().describe('Search only these namespaces. Default: all four.'),
  project_filter: z
    .array(z.string())
    .max(200)
    .optional()
    .describe('Search only these projects, at most 200. A single name given as plain text works as well.'),
  domain_filter: z
    .array(z.string())
    .max(MAX_NAMED_DOMAINS)
    .optional()
    .describe(
      'Kinds of work, such as python or docker, at most 100: search only projects that declare one of them. Text such as python,docker works as well.',
    ),
  expand_queries: z
    .boolean()
    .optional()
    .describe('Also search other wordings from a language model: slower, for questions that find too little. Default by the server.'),
  score_breakdown: z.boolean().optional().describe('Say for each result what made its score.'),
};
export const domains = z
  .array(z.string())
  .optional()
  .describe(
    'Kinds of work such as python or docker, at most 20, in place of those declared; [] for none. Text such as python,docker works as well.',
  );
export const asOf = z
  .string()
  .optional()
  .describe(
    'A moment in the past: a time with an offset (2026-11-03T14:30+01:00) or without (UTC), a date, an age (90s, 30m, 2h, 3d, 1w), or an event by its event_id or position in a timeline. The answer is what it was then.',
  );
export const maxTokens = z
  .number()
  .int()
  .min(100)
  .optional()
  .describe(
    'Bound on the answer in tokens, at least 100: best results first, and what was cut is named. Below 400 the text of the best is cut; below about 150 only keys are left.',
  );
export const stampKeys = z
  .array(z.string())
  .max(LIMITS.stampKeys)
  .describe(`Keys of memories, at most ${LIMITS.stampKeys} in a call. A chunk stands for its whole document.`);

export const force = z.boolean().optional().describe('Store it though it looks like it holds a live credential.');
