import { join } from 'node:path';
import { DomainError } from '../../domain/errors.js';
import { openApp } from '../app.js';
import { type Config, modelEnvironment } from '../config.js';
import type { FetchProgress } from '../embedding/fetch.js';
import { openEmbedderProvider } from '../embedding/select.js';
import type { Logger } from '../log.js';
import { replaced } from '../restored-log.js';
import type { ValkeyTarget } from '../valkey/client.js';

export type Reembedded = {
  /** `unchanged` when this model served already: what lacks a vector is filled in by the instance. */
  readonly status: 'moved' | 'unchanged';
  readonly from?: string;
  readonly to: string;
  readonly memories: number;
};

export type ReembedOptions = {
  readonly config: Config;
  readonly target: ValkeyTarget;
  readonly cluster: boolean;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly onWait: (what: string) => void;
  readonly onFetch: (progress: FetchProgress) => void;
  readonly onProgress: (done: number, total: number) => void;
};

/**
 * Makes the vectors of every memory under the model that the settings choose, beside those that serve, and then moves recall
 * to them, in whatever process it runs. VALIDATION when no model is chosen; UNAVAILABLE when the chosen one cannot be had.
 */
export const reembedAll = async (options: ReembedOptions): Promise<Reembedded> => {
  const { config, target, cluster, logger, onWait } = options;
  if (config.embedding.choice === 'none')
    throw new DomainError(
      'VALIDATION',
      'EMBEDDING=none: there is no model to make vectors with',
      'Set EMBEDDING=auto, minilm or use-lite.',
    );
  const fetch = { dir: join(config.dataDir, 'models'), env: modelEnvironment(config) };
  const provider = openEmbedderProvider({ choice: config.embedding.choice, fetch, log: logger, onProgress: options.onFetch });
  const gone = new AbortController();
  const onReplaced = (): void => gone.abort(replaced());
  const opened = await openApp({ config, logger, target, cluster, provider, projects: false, onReplaced }).catch(async (error: unknown) => {
    await provider.close();
    throw error;
  });
  const signal = AbortSignal.any([options.signal, gone.signal]);
  try {
    onWait('the embedding model');
    const embedder = await provider.ready(signal);
    const { reason } = provider.status();
    if (config.embedding.choice === 'auto' && reason !== undefined)
      throw new DomainError(
        'UNAVAILABLE',
        `The model cannot be had: ${reason}`,
        'Run omnimem model fetch, or set EMBEDDING=use-lite to take the offline encoder.',
      );
    onWait('the views of the log');
    await opened.app.whenReady(2 ** 31 - 1, undefined, signal);
    const memories = opened.index.documents.size;
    const before = opened.index.modelInLog?.id;
    const { from, to } = await opened.keeper.reembed(signal, options.onProgress);
    return { status: before === embedder.identity.id ? 'unchanged' : 'moved', ...(from !== undefined && { from }), to, memories };
  } finally {
    await opened.close();
    await provider.close();
  }
};
