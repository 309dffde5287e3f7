/** Texts that a field of a source may hold and nobody thought of. */
export const ODD_TEXTS = [
  '8ZZZZZZZZZZZZZZZZZZZZZZZZZ',
  '',
  ' ',
  'null',
  '-1',
  '1e999',
  '99999999999999999999',
  '0000-01-01T00:00:00+14:00',
  '9999-12-31T23:59:59-14:00',
  '2024-02-30',
  '{}',
  '[]',
  '[1]',
  '["a"]',
  '[{"name":{"toString":1},"type":{"toString":1},"attempted_at":{"toString":1}}]',
  '[{"name":"a","type":"tool","attempted_at":"999999999999999"}]',
  '{"__proto__":1}',
  'constructor',
  '\u0000',
  '\ud800',
  '\u202e',
  'x'.repeat(60_000),
  'mem:episodic:8ZZZZZZZZZZZZZZZZZZZZZZZZZ',
];

/** Fields of a dump that are read, and some that are not. */
export const DUMP_FIELDS =
  'content state created_at updated_at deprioritised_reason reinstate_hints effort_score outcome iterations breakthrough gotchas abandoned_approaches enriched_from project project_name surface_score experience_weight recall_count vector event_date expires_at chunk_index doc_id chunk_strategy source_doc_id scope source_url title tags mode licence licence_note provenance feed_name imported_at description stack goals current_state notes domains __proto__ constructor other'.split(
    ' ',
  );
