export type HealthIssue = { readonly code: string; readonly severity: 'red' | 'amber'; readonly message: string; readonly hint: string };
export type HealthResult = {
  readonly status: 'green' | 'amber' | 'red';
  readonly issues: readonly HealthIssue[];
  readonly valkey_connected: boolean;
  readonly records: Readonly<Record<string, number>>;
  readonly indexes: Readonly<Record<string, unknown>>;
  readonly model_loaded: boolean;
  readonly model?: Readonly<Record<string, unknown>>;
  readonly log: { readonly log_id: string; readonly events: number; readonly head: string | null };
  readonly projections: Readonly<
    Record<
      string,
      {
        readonly generation: number;
        readonly lag_events: number;
        readonly degraded: number;
        readonly dead_letters: number;
        /** How the last `omnimem verify` of it ended. */
        readonly verified?: { readonly at: string; readonly equal: boolean; readonly rows_differing: number };
      }
    >
  >;
  readonly vectors: { readonly pending: number; readonly refused: number };
  readonly valkey: Readonly<Record<string, unknown>>;
  readonly uptime_seconds: number;
  readonly data_dir?: string;
};
