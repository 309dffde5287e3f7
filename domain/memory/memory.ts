import type { Decider } from '../decider.js';
import { DomainError } from '../errors.js';
import { applyTagEdit, type TagEdit } from '../tags.js';
import type { Licence, Namespace, Provenance, State } from '../vocabulary.js';
import type { Abandoned, MemoryEvent, Remembered } from './events.js';
import {
  deadEndsCalled,
  type Experience,
  evolveExperience,
  experienceAfter,
  type LiftedDeadEnd,
  NO_EXPERIENCE,
  type RecordedExperience,
} from './experience.js';

export type MemoryCommand =
  | { readonly type: 'RememberMemory'; readonly data: Remembered }
  | { readonly type: 'ReviseMemory'; readonly data: { readonly content: string; readonly reason?: string | undefined } }
  | { readonly type: 'RetagMemory'; readonly data: TagEdit }
  | { readonly type: 'DeprioritiseMemory'; readonly data: { readonly reason: string; readonly reinstate_hints: readonly string[] } }
  | { readonly type: 'ArchiveMemory'; readonly data: { readonly reason?: string | undefined } }
  | { readonly type: 'ReinstateMemory'; readonly data: Record<string, never> }
  | { readonly type: 'ForgetMemory'; readonly data: Record<string, never> }
  | { readonly type: 'StampLicence'; readonly data: { readonly licence: Licence; readonly licence_note?: string | undefined } }
  | { readonly type: 'StampProvenance'; readonly data: { readonly provenance: Provenance } }
  | { readonly type: 'RecordExperience'; readonly data: RecordedExperience }
  | { readonly type: 'AbandonApproach'; readonly data: Abandoned }
  | { readonly type: 'LiftDeadEnd'; readonly data: LiftedDeadEnd }
  | { readonly type: 'FlagContradiction'; readonly data: Flagged }
  | {
      readonly type: 'ResolveContradiction';
      readonly data: { readonly with: string; readonly keep?: string | undefined; readonly note?: string | undefined };
    };

/** A contradiction as it is flagged on one of the two. */
export type Flagged = Extract<MemoryEvent, { type: 'ContradictionFlagged' }>['data'];

/** A memory that exists, as its commands see it. */
export type LiveMemory = {
  readonly status: State;
  readonly namespace: Namespace;
  readonly content: string;
  readonly tags: readonly string[];
  readonly project: string | undefined;
  readonly reason: string | undefined;
  readonly reinstate_hints: readonly string[];
  readonly licence: Licence;
  readonly licence_note: string | undefined;
  readonly provenance: Provenance;
  readonly doc_id: string | undefined;
  readonly enriched_from: string | undefined;
  readonly experience: Experience;
  /** Open contradictions by the key of the other memory. */
  readonly contradictions: ReadonlyMap<string, Flagged>;
};

export type Memory = { readonly status: 'absent' } | { readonly status: 'forgotten' } | LiveMemory;

export const isLive = (memory: Memory): memory is LiveMemory => memory.status !== 'absent' && memory.status !== 'forgotten';

const live = (memory: Memory): LiveMemory => {
  if (isLive(memory)) return memory;
  throw memory.status === 'forgotten'
    ? new DomainError('NOT_FOUND', 'This memory was forgotten', 'It cannot come back; remember the fact again if it is still wanted')
    : new DomainError('NOT_FOUND', 'No memory has this key', 'Call recall or recall_index to find the key');
};

const sameList = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && a.every((item, i) => item === b[i]);

const decide = (command: MemoryCommand, memory: Memory): MemoryEvent[] => {
  switch (command.type) {
    case 'RememberMemory':
      if (memory.status === 'absent') return [{ type: 'MemoryRemembered', data: command.data }];
      throw new DomainError('CONFLICT', 'This key is taken', 'Every memory gets a new key; revise changes the text of an old one');

    case 'ReviseMemory': {
      const { status, content } = live(memory);
      if (status === 'archived') {
        throw new DomainError(
          'CONFLICT',
          'This memory is archived and cannot be revised',
          'Call reinstate first, or remember the new text',
        );
      }
      return content === command.data.content ? [] : [{ type: 'MemoryRevised', data: command.data }];
    }

    case 'RetagMemory': {
      const previous = live(memory).tags;
      const { tags, changed } = applyTagEdit(previous, command.data);
      return !changed ? [] : [{ type: 'MemoryRetagged', data: { tags: [...tags], previous_tags: [...previous] } }];
    }

    case 'DeprioritiseMemory': {
      const { status, reason, reinstate_hints: known } = live(memory);
      if (status === 'archived') {
        throw new DomainError(
          'CONFLICT',
          'An archived memory cannot be deprioritised; from archived it can become active or be forgotten',
          'Call reinstate first',
        );
      }
      const reinstate_hints = [...new Set([...known, ...command.data.reinstate_hints])];
      const unchanged = status === 'deprioritised' && reason === command.data.reason && sameList(reinstate_hints, known);
      return unchanged ? [] : [{ type: 'MemoryDeprioritised', data: { reason: command.data.reason, reinstate_hints } }];
    }

    case 'ArchiveMemory':
      return live(memory).status === 'archived' ? [] : [{ type: 'MemoryArchived', data: command.data }];

    case 'ReinstateMemory':
      return live(memory).status === 'active' ? [] : [{ type: 'MemoryReinstated', data: {} }];

    case 'ForgetMemory':
      // An agent retries a call whose answer it lost, so forgetting twice is no error.
      if (memory.status === 'forgotten') return [];
      live(memory);
      return [{ type: 'MemoryForgotten', data: {} }];

    case 'StampLicence': {
      const { licence: previous, licence_note } = live(memory);
      if (previous === command.data.licence && licence_note === command.data.licence_note) return [];
      return [{ type: 'LicenceStamped', data: { ...command.data, previous } }];
    }

    case 'StampProvenance': {
      const { provenance: previous } = live(memory);
      return previous === command.data.provenance ? [] : [{ type: 'ProvenanceStamped', data: { ...command.data, previous } }];
    }

    case 'RecordExperience': {
      const { experience } = live(memory);
      const after = experienceAfter(experience, command.data);
      return JSON.stringify(after) === JSON.stringify(experience)
        ? []
        : [{ type: 'ExperienceRecorded', data: { ...after, abandoned_approaches: [...after.abandoned_approaches] } }];
    }

    case 'AbandonApproach':
      live(memory);
      return [{ type: 'ApproachAbandoned', data: command.data }];

    case 'LiftDeadEnd': {
      const { experience } = live(memory);
      const lifted = deadEndsCalled(experience, command.data);
      const abandoned_approaches = experience.abandoned_approaches.filter((one) => !lifted.includes(one));
      return [{ type: 'ExperienceRecorded', data: { ...experience, abandoned_approaches, reason: command.data.reason } }];
    }

    case 'FlagContradiction':
      return live(memory).contradictions.has(command.data.with) ? [] : [{ type: 'ContradictionFlagged', data: command.data }];

    case 'ResolveContradiction':
      return live(memory).contradictions.has(command.data.with) ? [{ type: 'ContradictionResolved', data: command.data }] : [];
  }
};

const evolve = (memory: Memory, event: MemoryEvent): Memory => {
  if (event.type === 'MemoryForgotten') return { status: 'forgotten' };
  if (event.type === 'MemoryRemembered') {
    const { namespace, content, tags, project, licence, licence_note, provenance, doc_id, enriched_from } = event.data;
    return {
      status: 'active',
      namespace,
      content,
      tags,
      project,
      reason: undefined,
      reinstate_hints: [],
      licence,
      licence_note,
      provenance,
      doc_id,
      enriched_from,
      experience: NO_EXPERIENCE,
      contradictions: new Map(),
    };
  }
  if (!isLive(memory)) return memory;
  switch (event.type) {
    case 'MemoryRevised':
      return { ...memory, content: event.data.content };
    case 'MemoryRetagged':
      return { ...memory, tags: event.data.tags };
    case 'MemoryDeprioritised':
      return { ...memory, status: 'deprioritised', reason: event.data.reason, reinstate_hints: event.data.reinstate_hints };
    case 'MemoryArchived':
      return { ...memory, status: 'archived', reason: event.data.reason };
    case 'MemoryReinstated':
      return { ...memory, status: 'active', reason: undefined };
    case 'LicenceStamped':
      return { ...memory, licence: event.data.licence, licence_note: event.data.licence_note };
    case 'ProvenanceStamped':
      return { ...memory, provenance: event.data.provenance };
    case 'ExperienceRecorded':
    case 'ApproachAbandoned':
      return { ...memory, experience: evolveExperience(memory.experience, event) };
    case 'ContradictionFlagged':
      return { ...memory, contradictions: new Map([...memory.contradictions, [event.data.with, event.data]]) };
    case 'ContradictionResolved':
      return { ...memory, contradictions: new Map([...memory.contradictions].filter(([key]) => key !== event.data.with)) };
    case 'EnrichmentFinished':
    case 'EnrichmentParked':
      return memory;
    // Topics that its dead ends became are no part of what it says.
    default:
      return memory;
  }
};

export const memoryDecider: Decider<Memory, MemoryCommand, MemoryEvent> = { initialState: () => ({ status: 'absent' }), decide, evolve };
