import type { Worker } from 'node:worker_threads';
import { DomainError } from '../../../domain/errors.js';
import type { Reply, Request } from './protocol.js';

/** The model's bytes are not the ones that were pinned. Fetching it again mends this. */
export class AlteredModel extends Error {
  override readonly name = 'AlteredModel';
}

type Waiting = {
  readonly resolve: (vectors: Float32Array[][]) => void;
  readonly reject: (error: unknown) => void;
};

type Running = {
  readonly worker: Worker;
  readonly loaded: Promise<number>;
  readonly ended: Promise<void>;
  readonly waiting: Map<number, Waiting>;
};

export type EncoderThread = {
  /** Starts the thread when none runs; how many milliseconds its model took to load. Rejects when the model cannot be used. */
  load(): Promise<number>;
  /** The windows of each text. Starts a fresh thread when the last one died. */
  encode(texts: readonly string[], options: { urgent: boolean; signal?: AbortSignal }): Promise<Float32Array[][]>;
  /** Fails what waits and resolves when the thread has ended, which takes as long as the load or the batch that runs. */
  close(): Promise<void>;
};

const gone = (name: string, cause?: unknown) =>
  new DomainError('UNAVAILABLE', `The embedding thread of ${name} stopped.`, 'Try again: the next call starts it afresh.', { cause });

const closed = (name: string) => new DomainError('UNAVAILABLE', `The embedder ${name} is closed.`, 'Start the server again.');

const cutByText = (vectors: Float32Array, windows: readonly number[], dimension: number): Float32Array[][] => {
  let at = 0;
  const next = () => {
    at += dimension;
    return vectors.slice(at - dimension, at);
  };
  return windows.map((count) => Array.from({ length: count }, next));
};

/** The main thread's end of an encoder thread: requests out, vectors in, and a new thread after one has died. */
export const encoderThread = (options: { name: string; dimension: number; start: () => Worker }): EncoderThread => {
  const { name, dimension, start } = options;
  let running: Running | undefined;
  let isClosed = false;
  let lastJob = 0;

  const settle = (from: Running, reply: Reply) => {
    if (reply.kind !== 'encoded' && reply.kind !== 'refused') return;
    const waiting = from.waiting.get(reply.job);
    from.waiting.delete(reply.job);
    if (from.waiting.size === 0) from.worker.unref();
    if (waiting === undefined) return;
    if (reply.kind === 'encoded') waiting.resolve(cutByText(reply.vectors, reply.windows, dimension));
    else waiting.reject(new DomainError('INTERNAL', `${name} could not embed this text: ${reply.reason}`, 'Run `omnimem doctor`.'));
  };

  const begin = (): Running => {
    const worker = start();
    const waiting = new Map<number, Waiting>();
    const loaded = new Promise<number>((resolve, reject) => {
      worker.on('message', (reply: Reply) => {
        if (reply.kind === 'ready') resolve(reply.loadMs);
        if (reply.kind === 'unusable') reject(reply.altered ? new AlteredModel(reply.reason) : new Error(reply.reason));
      });
      worker.on('error', reject);
      worker.on('exit', (code) => reject(new Error(`the thread ended with code ${code}`)));
    });
    const ended = new Promise<void>((resolve) => worker.on('exit', () => resolve()));
    const fresh: Running = { worker, loaded, ended, waiting };
    let cause: unknown;
    const remember = (error: unknown) => {
      cause ??= error;
    };
    worker.on('error', remember);
    loaded.catch(remember);
    worker.on('message', (reply: Reply) => settle(fresh, reply));
    worker.on('exit', () => {
      if (running === fresh) running = undefined;
      for (const { reject } of waiting.values()) reject(gone(name, cause));
      waiting.clear();
    });
    loaded.then(
      () => waiting.size === 0 && worker.unref(),
      () => {},
    );
    return fresh;
  };

  const current = (): Running => {
    if (isClosed) throw closed(name);
    running ??= begin();
    return running;
  };

  return {
    load: async () => current().loaded,
    encode: async (texts, { urgent, signal }) => {
      signal?.throwIfAborted();
      const { worker, waiting } = current();
      const job = ++lastJob;
      const ask = (request: Request) => worker.postMessage(request);
      let stop: (() => void) | undefined;
      try {
        return await new Promise<Float32Array[][]>((resolve, reject) => {
          stop = () => {
            waiting.delete(job);
            ask({ kind: 'cancel', job });
            reject(signal?.reason);
          };
          signal?.addEventListener('abort', stop, { once: true });
          waiting.set(job, { resolve, reject });
          worker.ref();
          ask({ kind: 'encode', job, texts, urgent });
        });
      } finally {
        if (stop !== undefined) signal?.removeEventListener('abort', stop);
      }
    },
    close: async () => {
      isClosed = true;
      if (running === undefined) return;
      const { worker, waiting, ended } = running;
      for (const { reject } of waiting.values()) reject(closed(name));
      waiting.clear();
      worker.ref();
      worker.postMessage({ kind: 'end' } satisfies Request);
      await ended;
    },
  };
};
