/** What stays of a topic that an older version suppressed. */
export const NAME_STAYS =
  'The text of a topic that an older version suppressed is part of names that the log never changes: it stays there, in its backups and in FORGOTTEN beside them. What goes is the reason.';
