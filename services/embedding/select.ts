import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { DomainError } from '../../domain/errors.js';
import { acquireMiniLm } from './acquire.js';
import { type FailedRoad, type FetchOptions, type FetchProgress, looksFetched, ModelUnreachable } from './fetch.js';
import { MINILM_Q8 } from './manifest.js';
import { miniLmIdentity } from './minilm.js';
import type { Embedder } from './port.js';
import type { EmbedderProvider, EmbeddingChoice } from './provider.js';
import { openUseLite, USE_LITE } from './use-lite.js';

export type ProviderOptions = {
  readonly choice: EmbeddingChoice;
  /** How MiniLM is fetched, and where to. */
  readonly fetch: Omit<FetchOptions, 'signal' | 'onProgress' | 'onFailure'>;
  readonly log?: Pick<Logger, 'debug' | 'info' | 'warn'>;
  readonly onProgress?: (progress: FetchProgress) => void;
  /** Milliseconds to the first retry, doubled up to the last. */
  readonly retry?: { readonly firstMs: number; readonly maxMs: number };
  /** Milliseconds that a fetch may take before the offline encoder serves meanwhile. */
  readonly graceMs?: number;
};

const RETRY = { firstMs: 30_000, maxMs: 3_600_000 };
const GRACE_MS = 30_000;

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/**
 * Starts to open the chosen embedder and returns at once. What is not there is fetched and retried in the background until
 * `close`. It says which embedder is the best one now; what becomes of the vectors of another is for its owner to decide.
 */
export const openEmbedderProvider = (options: ProviderOptions): EmbedderProvider => {
  const { choice, fetch, log, retry = RETRY, graceMs = GRACE_MS } = options;
  const manifest = fetch.manifest ?? MINILM_Q8;
  const miniLmId = miniLmIdentity(manifest).id;
  const preferred = choice === 'use-lite' ? USE_LITE.id : miniLmId;
  const stopping = new AbortController();
  const { signal } = stopping;
  const opened = new Map<string, Promise<Embedder>>();
  const listeners = new Set<(embedder: Embedder) => void>();
  let serving: Embedder | undefined;
  let reason: string | undefined;
  let failedRoads: readonly FailedRoad[] = [];
  let progress: FetchProgress | undefined;
  let retryAt: number | undefined;

  const unavailable = (why: string, hint: string) => new DomainError('UNAVAILABLE', why, hint);

  const onProgress = (step: FetchProgress) => {
    progress = step;
    options.onProgress?.(step);
  };

  const onFailure = (failure: FailedRoad) => {
    // A folder that nobody named is no road that failed.
    const level = failure.road === 'directory' && !fetch.env?.OMNIMEM_MODEL_DIR ? 'debug' : 'warn';
    log?.[level](failure, 'a road to the embedding model failed');
  };

  const open = (modelId: string): Promise<Embedder> => {
    const before = opened.get(modelId);
    if (before !== undefined) return before;
    const opening = modelId === USE_LITE.id ? openUseLite({ signal }) : acquireMiniLm({ ...fetch, signal, onProgress, onFailure });
    opened.set(modelId, opening);
    opening.catch(() => opened.delete(modelId));
    return opening;
  };

  const serve = (embedder: Embedder) => {
    serving = embedder;
    log?.info({ model: embedder.identity.id }, 'embedder ready');
    for (const listener of listeners) listener(embedder);
  };

  /** The offline encoder, unless something better came first. */
  const fallBack = async () => {
    if (serving !== undefined || signal.aborted) return;
    try {
      const embedder = await open(USE_LITE.id);
      if (serving !== undefined) return;
      log?.warn({ reason }, 'MiniLM is not there yet; the weaker offline encoder serves meanwhile');
      serve(embedder);
    } catch (error) {
      log?.warn({ reason: messageOf(error) }, 'the offline encoder could not be opened; recall is lexical');
    }
  };

  const fallBackAfterGrace = async (arrived: AbortSignal) => {
    try {
      await delay(graceMs, undefined, { signal: arrived, ref: false });
    } catch {
      return;
    }
    reason ??= `${manifest.name} is still being fetched.`;
    await fallBack();
  };

  const tryPreferred = async (): Promise<boolean> => {
    try {
      const embedder = await open(preferred);
      reason = undefined;
      failedRoads = [];
      serve(embedder);
      return true;
    } catch (error) {
      if (signal.aborted) return true;
      reason = messageOf(error);
      failedRoads = error instanceof ModelUnreachable ? error.failed : [];
      log?.warn({ reason }, 'the embedding model could not be opened');
      return false;
    } finally {
      progress = undefined;
    }
  };

  const run = async () => {
    const arrived = new AbortController();
    const grace = choice === 'auto' ? fallBackAfterGrace(AbortSignal.any([arrived.signal, signal])) : undefined;
    for (let waitMs = retry.firstMs; !(await tryPreferred()); waitMs = Math.min(waitMs * 2, retry.maxMs)) {
      if (choice === 'auto') await fallBack();
      retryAt = Date.now() + waitMs;
      await delay(waitMs, undefined, { signal, ref: false }).catch(() => {});
      retryAt = undefined;
      if (signal.aborted) break;
    }
    arrived.abort();
    await grace;
  };

  const running = choice === 'none' ? Promise.resolve() : run();

  const firstEmbedder = (caller: AbortSignal | undefined) =>
    new Promise<Embedder>((resolve, reject) => {
      const settle = () => {
        listeners.delete(onReady);
        signal.removeEventListener('abort', onClose);
        caller?.removeEventListener('abort', onCancel);
      };
      const onReady = (embedder: Embedder) => {
        settle();
        resolve(embedder);
      };
      const onClose = () => {
        settle();
        reject(unavailable('The embedder was closed before it was ready.', 'Start the server again.'));
      };
      const onCancel = () => {
        settle();
        reject(caller?.reason);
      };
      listeners.add(onReady);
      signal.addEventListener('abort', onClose, { once: true });
      caller?.addEventListener('abort', onCancel, { once: true });
    });

  const closeAll = async () => {
    stopping.abort();
    await running;
    const embedders = await Promise.allSettled(opened.values());
    await Promise.all(embedders.map((result) => (result.status === 'fulfilled' ? result.value.close() : undefined)));
    serving = undefined;
  };
  let closing: Promise<void> | undefined;

  return {
    current: () => serving,
    status: () => ({
      choice,
      state: choice === 'none' ? 'off' : serving !== undefined ? 'ready' : retryAt !== undefined ? 'failed' : 'loading',
      modelId: serving?.identity.id,
      name: serving?.identity.name,
      reason: choice === 'none' ? 'EMBEDDING=none: recall is lexical.' : reason,
      failedRoads,
      progress,
      retryAt,
    }),
    ready: async (caller) => {
      caller?.throwIfAborted();
      if (choice === 'none') throw unavailable('EMBEDDING=none: there is no embedder.', 'Set EMBEDDING=auto and start again.');
      if (signal.aborted) throw unavailable('The embedder is closed.', 'Start the server again.');
      return serving ?? firstEmbedder(caller);
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    forModel: async (modelId) => {
      if (signal.aborted) return undefined;
      const here = modelId === USE_LITE.id || (modelId === miniLmId && (opened.has(miniLmId) || (await looksFetched(fetch.dir, manifest))));
      return here ? open(modelId) : undefined;
    },
    release: async (modelId) => {
      if (modelId === serving?.identity.id) return;
      const embedder = opened.get(modelId);
      opened.delete(modelId);
      await embedder?.then(
        (found) => found.close(),
        () => {},
      );
    },
    close: () => {
      closing ??= closeAll();
      return closing;
    },
  };
};
