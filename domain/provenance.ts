import { aliasForm } from './alias.js';
import { DomainError } from './errors.js';
import { type Namespace, PROVENANCES, type Provenance } from './vocabulary.js';

/** Identifiers in alias form (`looked_up` is `looked-up`). Contract 6.6.2. */
const ALIASES: Readonly<Record<Provenance, readonly string[]>> = {
  retrieved: ['retrieved', 'external', 'source', 'looked-up'],
  concluded: ['concluded', 'inferred', 'derived', 'reasoned', 'system'],
  asserted: ['asserted', 'stated', 'user', 'human', 'dictated'],
};

const DEFAULTS: Readonly<Record<Namespace, Provenance>> = {
  episodic: 'concluded',
  project: 'concluded',
  preference: 'asserted',
  knowledge: 'retrieved',
};

/** Who is speaking, from a class or an alias. There is no "unknown": anything else, blank included, throws VALIDATION. */
export const parseProvenance = (text: string): Provenance => {
  const identifier = aliasForm(text);
  const found = PROVENANCES.find((provenance) => ALIASES[provenance].includes(identifier));
  if (found) return found;
  throw new DomainError(
    'VALIDATION',
    `The provenance is not one of ${PROVENANCES.join(', ')}`,
    'retrieved: from an external source; concluded: your own reasoning; asserted: stated by the human.',
  );
};

/** What a write is stamped with. Blank counts as not declared: then the namespace decides. */
export const provenanceForWrite = (namespace: Namespace, declared?: string): Provenance =>
  declared?.trim() ? parseProvenance(declared) : DEFAULTS[namespace];
