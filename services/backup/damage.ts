import { DomainError } from '../../domain/errors.js';

export type DamageKind = 'torn' | 'altered' | 'reordered' | 'foreign' | 'missing';

const MEANING: Readonly<Record<DamageKind, string>> = {
  torn: 'ends too early',
  altered: 'is not what was written',
  reordered: 'is not at its place',
  foreign: 'belongs to another log',
  missing: 'is not there',
};

/** A backup that cannot be trusted. Says which part, and how; nothing of it is used. */
export class BackupDamaged extends DomainError {
  readonly kind: DamageKind;
  readonly part: string;

  constructor(kind: DamageKind, part: string, detail?: string) {
    super(
      'CONFLICT',
      `The backup is damaged: ${part} ${MEANING[kind]} (${kind})${detail ? `: ${detail}` : ''}`,
      'Nothing was changed. Take another copy of this backup, or an older one.',
    );
    this.kind = kind;
    this.part = part;
  }
}
