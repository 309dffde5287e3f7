import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { DEVELOPER_CASES, UNRELATED_QUERIES } from './retrieval-cases.js';

export type Memory = { readonly key: string; readonly text: string };
export type Question = { readonly text: string; readonly category: string; readonly evidence: readonly string[] };
/** Memories of one store, and what is asked of it. `heldOut` questions had no say in any weight. */
export type QuestionSet = {
  readonly name: string;
  readonly heldOut: boolean;
  readonly memories: readonly Memory[];
  readonly questions: readonly Question[];
};

const conversation = z.object({
  conversation: z.string(),
  turns: z.array(z.object({ id: z.string(), speaker: z.string(), text: z.string(), image_caption: z.string().optional() })),
  questions: z.array(z.object({ question: z.string(), category: z.string(), evidence: z.array(z.string()) })),
});
const documents = z.object({ documents: z.array(z.object({ id: z.string(), text: z.string() })) });
const docsQuestions = z.object({ questions: z.array(z.object({ question: z.string(), evidence: z.array(z.string()) })) });

/** Weights were chosen on these and on the first half of the documentation questions. */
const TUNED_ON = new Set(['conv-26', 'conv-30']);

/** Where the question sets lie: OMNIMEM_BENCH_DATA, else `../shared/data` from the repository, in which the bench is run. */
export const defaultDataDirectory = (): string => process.env.OMNIMEM_BENCH_DATA ?? resolve('..', 'shared', 'data');

/** Undefined when the directory holds no question sets. */
export const loadQuestionSets = async (directory: string): Promise<QuestionSet[] | undefined> => {
  const names = await readdir(join(directory, 'locomo')).catch(() => undefined);
  if (names === undefined) return undefined;
  const conversations = await Promise.all(
    names
      .filter((name) => name.endsWith('.json'))
      .sort()
      .map((name) => loadConversation(join(directory, 'locomo', name))),
  );
  const docs = await loadDocuments(join(directory, 'docs-qa'));
  return [...conversations, ...docs, developerSet([...conversations, ...docs])];
};

const parse = async <T>(schema: z.ZodType<T>, path: string): Promise<T> => schema.parse(JSON.parse(await readFile(path, 'utf8')));

const loadConversation = async (path: string): Promise<QuestionSet> => {
  const { conversation: name, turns, questions } = await parse(conversation, path);
  return {
    name,
    heldOut: !TUNED_ON.has(name),
    memories: turns.map(({ id, speaker, text, image_caption }) => ({
      key: id,
      text: `${speaker}: ${text}${image_caption ? ` [photo: ${image_caption}]` : ''}`,
    })),
    questions: questions.map(({ question, category, evidence }) => ({ text: question, category, evidence })),
  };
};

const loadDocuments = async (directory: string): Promise<QuestionSet[]> => {
  const { documents: sections } = await parse(documents, join(directory, 'documents.json'));
  const { questions } = await parse(docsQuestions, join(directory, 'questions.json'));
  const memories = sections.map(({ id, text }) => ({ key: id, text }));
  const asked = questions.map(({ question, evidence }) => ({ text: question, category: 'documentation', evidence }));
  const half = asked.length / 2;
  return [
    { name: 'docs-qa, first half', heldOut: false, memories, questions: asked.slice(0, half) },
    { name: 'docs-qa, second half', heldOut: true, memories, questions: asked.slice(half) },
  ];
};

/** Our own cases among everything else as noise; the unrelated queries have no evidence. */
const developerSet = (others: readonly QuestionSet[]): QuestionSet => {
  const noise = others
    .filter((set) => set.heldOut)
    .flatMap((set) => set.memories.map(({ key, text }) => ({ key: `${set.name} ${key}`, text })));
  const cases = DEVELOPER_CASES.map((each, i) => ({ ...each, key: `case ${i}` }));
  return {
    name: 'developer cases',
    heldOut: false,
    memories: [...noise, ...cases.map(({ key, memory }) => ({ key, text: memory }))],
    questions: [
      ...cases.map(({ key, paraphrase }) => ({ text: paraphrase, category: 'paraphrase', evidence: [key] })),
      ...cases.map(({ key, identifier }) => ({ text: identifier, category: 'identifier', evidence: [key] })),
      ...UNRELATED_QUERIES.map((text) => ({ text, category: 'unrelated', evidence: [] })),
    ],
  };
};
