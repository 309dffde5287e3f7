import { frameBriefing } from '../../domain/framing.js';
import type { BriefingResult } from '../api.js';
import type { Answer } from './ceiling.js';

/** A briefing for reading, framed as data. */
export const briefingText = (answer: Answer): string => {
  const { cut } = answer as { readonly cut?: { readonly note: string } };
  const told = readableBriefing(answer as BriefingResult);
  return frameBriefing(cut ? `${told}\n\n${cut.note}` : told);
};

/** One heading for each part, and one line for each entry with its key. */
export const readableBriefing = (told: BriefingResult): string =>
  PARTS.map((part) => part(told))
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');

type Part = (told: BriefingResult) => readonly string[];

/** Text from memory may hold line breaks, and each entry is one line. */
const flat = (text: string): string => text.replace(/\s+/g, ' ').trim();

const list =
  <Name extends keyof BriefingResult>(
    name: Name,
    heading: string,
    line: (entry: NonNullable<BriefingResult[Name]> extends readonly (infer Entry)[] ? Entry : never) => string,
  ): Part =>
  (told) => {
    const entries = told[name];
    if (!Array.isArray(entries) || entries.length === 0) return [];
    return [`## ${heading}`, ...entries.map((entry) => `- ${line(entry)}`)];
  };

const project: Part = ({ project_context: context }) => {
  if (!context) return [];
  if (!('version' in context)) return [`# Project ${context.name}`, context.note];
  const { name, version, updated_at, description, stack, goals, current_state, notes, domains, also_called, state, reason } = context;
  const said = { Description: description, Stack: stack, Goals: goals, 'Where it stands': current_state, Notes: notes };
  return [
    `# Project ${name} (version ${version}, ${updated_at.slice(0, 10)})`,
    ...Object.entries(said).flatMap(([title, text]) => (text === undefined ? [] : [`${title}: ${flat(text)}`])),
    ...(state === undefined ? [] : [`Set aside (${state})${reason === undefined ? '' : `: ${flat(reason)}`}`]),
    ...(domains ? [`Domains: ${domains.join(', ')}`] : []),
    ...(also_called ? [`Also called: ${also_called.join(', ')}`] : []),
  ];
};

const experience: Part = ({ experience_summary: summary }) => {
  if (!summary) return [];
  const { memories_with_experience, average_effort_score, outcome_breakdown: ended } = summary;
  const figures = ended
    ? `${memories_with_experience} recorded, effort ${average_effort_score} of 5; ${ended.succeeded} succeeded, ${ended.pivoted} pivoted, ${ended.abandoned} abandoned`
    : `${memories_with_experience} recorded`;
  return [
    '## Experience',
    figures,
    ...(summary.graveyard ?? []).map(
      ({ name, type, reason, key, attempted_at }) =>
        `- given up on ${attempted_at.slice(0, 10)}: ${name} (${type}): ${flat(reason)} [${key}]`,
    ),
    ...(summary.top_3_breakthroughs ?? []).map(({ key, breakthrough }) => `- breakthrough: ${flat(breakthrough)} [${key}]`),
    ...(summary.gotchas ?? []).map(({ key, gotchas }) => `- watch out: ${flat(gotchas)} [${key}]`),
  ];
};

const maintenance: Part = ({ auto_maintenance: run }) => {
  if (!run) return [];
  const { duplicates_archived = [], contradictions_found = [], knowledge_expired = [] } = run;
  const did = [
    duplicates_archived.length > 0 && `${duplicates_archived.length} duplicates archived`,
    contradictions_found.length > 0 && `${contradictions_found.length} contradictions flagged`,
    knowledge_expired.length > 0 && `${knowledge_expired.length} expired archived`,
  ].filter(Boolean);
  return ['## Maintenance', `${run.ran_at.slice(0, 10)}: ${did.join(', ')}; undo takes it back with ${run.correlation}`];
};

const suggestion: Part = ({ project_suggestion: near }) => (near ? [near.note] : []);

const rest: Part = ({ suppressed_topics, enrichment, message, unavailable, stale, trimmed, trimmed_note, as_of }) => [
  ...(suppressed_topics ? [`Suppressed topics: ${suppressed_topics.join(', ')}`] : []),
  ...(enrichment ? [`Enrichment: ${enrichment.parked} parked. ${enrichment.note}`] : []),
  ...(message === undefined ? [] : [message]),
  ...(unavailable ? [`Not available now: ${Object.values(unavailable).join('; ')}`] : []),
  ...(stale ? [stale.note] : []),
  ...(trimmed
    ? [
        `${trimmed_note ?? ''} Left out: ${Object.entries(trimmed)
          .map(([name, count]) => (count === true ? name : `${count} of ${name}`))
          .join(', ')}`,
      ]
    : []),
  ...(as_of ? [`As of ${as_of.time} (${as_of.position})${as_of.note === undefined ? '' : `: ${as_of.note}`}`] : []),
];

const PARTS: readonly Part[] = [
  suggestion,
  project,
  list(
    'contradiction_warnings',
    'Open contradictions: ask the human which one holds',
    ({ key, content, contradicts, says, cue }) =>
      `"${flat(content)}" [${key}] against "${flat(says)}" [${contradicts.join(', ')}]${cue === undefined ? '' : ` (${cue})`}`,
  ),
  list(
    'preferences',
    'Preferences',
    ({ key, content, provenance }) =>
      `${flat(content)}${provenance === undefined ? '' : ` (${provenance}, not said by the human)`} [${key}]`,
  ),
  list('recent_memories', 'Newest memories', ({ key, content, updated_at }) => `${updated_at.slice(0, 10)} ${flat(content)} [${key}]`),
  experience,
  list(
    'reinstate_candidates',
    'Put aside, and may come back',
    ({ key, content, reason, reinstate_hints }) =>
      `${flat(content)}${reason === undefined ? '' : ` (${flat(reason)})`}; comes back with ${reinstate_hints.map(flat).join(', ')} [${key}]`,
  ),
  list(
    'stale_memories',
    'Not touched for long: still true?',
    ({ key, content, days_stale }) => `${days_stale} days: ${flat(content)} [${key}]`,
  ),
  list(
    'new_knowledge',
    'New knowledge',
    ({ key, title, content, source_url, licence }) =>
      `${title === undefined ? '' : `${flat(title)}: `}${flat(content)} (licence ${licence}${source_url === undefined ? '' : `, ${source_url}`}) [${key}]`,
  ),
  maintenance,
  rest,
];
