/** Who calls, and how. Every command and query takes one. */
export type Call = {
  /** `mcp:<client>/<version>`, `cli`, `web:<user>`, `job:<name>`, … */
  readonly actor: string;
  /** ULID chosen by the caller: repeated with the same id, a command answers its first result and does nothing. */
  readonly commandId?: string | undefined;
  /** One conversation of one client, where the transport knows it: what it has read is remembered for it. */
  readonly session?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called while a call waits or works, for progress notices. */
  readonly progress?: ((message: string, done?: number, total?: number) => void) | undefined;
};

/** Set when a view was behind the log's head by more than the bound: what was stored last may be missing. */
export type Staleness = { readonly stale?: { readonly events: number; readonly note: string } };

/** `false` when the write is safe in the log but a view was late; recall may miss it for a moment. */
export type Visible = { readonly visible?: boolean };
