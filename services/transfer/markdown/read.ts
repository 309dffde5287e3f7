import { createHash } from 'node:crypto';
import { withoutControls } from '../../../domain/characters.js';
import { LIMITS } from '../../../domain/vocabulary.js';
import { stableUlid } from '../../commands/import-intake.js';
import { type Draft, newDraft, type ReadOptions, refusalOf, type Source } from '../source.js';
import { readText } from '../text.js';
import { memoryFields, suppressedTopics } from './fields.js';
import { type MarkdownFile, markdownFiles } from './folder.js';
import { splitFrontMatter } from './front-matter.js';
import { cutLong, splitSections, withoutBlankEdges } from './sections.js';

export type MarkdownOptions = ReadOptions & {
  /** `headings`: a memory for each section; `files`: one for each file. A file whose front matter has a key is always one. */
  readonly split: 'headings' | 'files';
};

/** Reads a folder of Markdown, or one file. A file that cannot be understood is refused by its name, with line and column. */
export const readMarkdown = async (root: string, options: MarkdownOptions): Promise<Source> => {
  const draft = newDraft();
  const { files, unreadable, others, links } = await markdownFiles(root);
  for (const file of files) {
    try {
      readFile(draft, file, await readText(file.path), options);
    } catch (error) {
      draft.refused.push(refusalOf(file.name, error));
    }
  }
  for (const place of unreadable)
    draft.refused.push({ place, code: 'VALIDATION', why: 'The file cannot be opened by its name: it is gone, or the name is not UTF-8' });
  if (others > 0) draft.notes.push(`${others} ${others === 1 ? 'file that is' : 'files that are'} no Markdown passed over.`);
  if (links > 0) draft.notes.push(`${links} symbolic ${links === 1 ? 'link' : 'links'} not followed.`);
  return { format: 'markdown', ...draft };
};

const readFile = (draft: Draft, { name, modified }: MarkdownFile, text: string, { split, project, now }: MarkdownOptions): void => {
  const { fields, body, bodyLine } = splitFrontMatter(text);
  const topics = suppressedTopics(fields, now);
  if (topics) {
    draft.topics.push(...topics.map((topic) => ({ place: name, ...topic })));
    return;
  }
  const { candidate, left } = memoryFields(fields, Math.min(modified, now), project);
  const whole = candidate.key !== undefined;
  const pieces = whole ? [{ place: name, content: body, path: [] }] : piecesOf(name, body, bodyLine, split);
  const sibling = !whole && pieces.length > 1 ? { doc_id: stableUlid(JSON.stringify([name, project ?? null, sha256(text)])) } : {};
  for (const [i, { place, content, path }] of pieces.entries()) {
    draft.candidates.push({
      ...(pieces.length > 1 && { ...sibling, chunk_index: i }),
      ...candidate,
      ...(!whole && { title: [candidate.title ?? name, ...path].map((part) => withoutControls(part).trim()).join(' > ') }),
      place,
      content,
    });
  }
  if (!whole && pieces.length === 0) draft.notes.push(`${name} has no text.`);
  for (const [field, value] of Object.entries(left)) {
    draft.setAside.push({
      place: name,
      kind: `field ${field}`,
      why: 'no memory has such a field',
      key: candidate.key ?? name,
      fields: { [field]: value },
    });
  }
};

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

type Piece = { readonly place: string; readonly content: string; readonly path: readonly string[] };

const piecesOf = (name: string, body: string, bodyLine: number, split: MarkdownOptions['split']): readonly Piece[] => {
  const sections = split === 'headings' ? splitSections(body) : [{ headings: [], text: withoutBlankEdges(body), line: 1 }];
  return sections
    .filter(({ text }) => text !== '')
    .flatMap(({ headings, text, line }) => {
      const place = `${name}, line ${bodyLine + line - 1}`;
      const parts = cutLong(text, LIMITS.content);
      return parts.map((content, i) => ({
        place: parts.length === 1 ? place : `${place}, part ${i + 1} of ${parts.length}`,
        content,
        path: headings,
      }));
    });
};
