import { isDue, type Source, sourceOf } from '../../domain/enrichment/source.js';
import { ORIGIN, type Position } from '../../domain/envelope.js';
import { isDomainError } from '../../domain/errors.js';
import type { CommandParts } from '../commands/parts.js';
import type { Model } from '../llm/port.js';
import { createWakeup, type Wakeup } from '../wakeup.js';
import { inBackground } from './background.js';
import { createBoard, type Failed } from './enricher-board.js';
import { extractFacts } from './enricher-extract.js';
import { type Job, nextJob, parkedJobs } from './enricher-jobs.js';
import { createLead } from './enricher-lead.js';
import { ENRICHER, publishFacts, stillDue } from './enricher-publish.js';
import { type Backoff, DEFAULT_BACKOFF, type Failure, failureOf, Troubles } from './enricher-troubles.js';

const IDLE_MS = 2_000;
const NO_LEAD_MS = 2_000;
const OUTAGE_MS = 2_000;
/** Looks in vain that are no trouble yet. */
const STARTING = 5;
/** Writes come in bursts; the queue is looked at once for each. */
const CALM_MS = 50;
/** Until a view has passed what was written. */
const LATE_MS = 250;

export type EnricherParts = {
  readonly commands: CommandParts;
  readonly model: Model;
  readonly concurrency: number;
  readonly batch: boolean;
  readonly maxFacts: number;
  readonly maxAttempts: number;
  readonly backoff?: Backoff | undefined;
  readonly onTrouble: (message: string, error?: unknown) => void;
};

/**
 * Draws facts from what was remembered in full mode, in the background. The queue is a view of the log and what ends a job
 * is in the log, written together with its facts: a worker that dies leaves nothing half done, and a job that runs twice
 * writes once. What is counted here (attempts, pauses) may be lost at any time.
 */
export class Enricher {
  #parts: EnricherParts;
  #background = inBackground((signal, sleep) => this.#run(signal, sleep));
  /** Aborted when another process took the lead. */
  #tenure = new AbortController();
  #lead: ReturnType<typeof createLead>;
  #board: ReturnType<typeof createBoard>;
  #running = new Map<string, Promise<void>>();
  /** What somebody asked to have tried again, while that request is being answered. */
  #asked: Job[] | undefined;
  #askedBy: readonly string[] = [];
  #askedRunning = 0;
  #troubles: Troubles;
  /** When the next job that failed is tried again. */
  #due: number | undefined;
  #leading = false;
  #seen: Position = ORIGIN;

  constructor(parts: EnricherParts) {
    const { redis, keys } = parts.commands;
    this.#parts = parts;
    this.#board = createBoard(redis, keys);
    this.#troubles = new Troubles(this.#board, parts.commands.random, parts.backoff ?? DEFAULT_BACKOFF);
    this.#lead = createLead(redis, keys, () => this.#tenure.abort(new Error('another process enriches now')));
  }

  start(): void {
    this.#background.start();
  }

  /** Something changed that the log does not show: look now. */
  poke(): void {
    this.#background.poke();
  }

  async close(): Promise<void> {
    this.#tenure.abort(new Error('the process stops'));
    await this.#background.close();
    await Promise.allSettled(this.#running.values());
    await this.#lead.release().catch(() => undefined);
  }

  async #run(signal: AbortSignal, sleep: Wakeup['sleep']): Promise<void> {
    // While the process starts there is no view yet.
    for (let outages = 0; !signal.aborted; ) {
      try {
        if (!(await this.#leads())) await sleep(NO_LEAD_MS, signal);
        else if (!(await this.#begin())) await this.#rest(signal, sleep);
        outages = 0;
      } catch (error) {
        if (signal.aborted) return;
        outages += 1;
        if (outages > STARTING) this.#parts.onTrouble('the enrichment queue cannot be read; it is tried again', error);
        await sleep(Math.min(OUTAGE_MS, CALM_MS * 2 ** outages), signal);
      }
    }
  }

  async #leads(): Promise<boolean> {
    if (this.#tenure.signal.aborted) {
      await Promise.allSettled(this.#running.values());
      this.#tenure = new AbortController();
      this.#leading = false;
      this.#asked = undefined;
    }
    if (!(await this.#lead.hold())) return false;
    if (!this.#leading) {
      // A worker that is gone works on nothing, and what stopped it may be mended.
      await this.#board.noneRunning();
      await this.#board.trouble(undefined);
      this.#leading = true;
    }
    return true;
  }

  /** Begins one job; false when there is none to begin now. */
  async #begin(): Promise<boolean> {
    const { commands, batch, concurrency } = this.#parts;
    const { redis, keys, log } = commands;
    await this.#answer();
    this.#seen = (await log.head())?.position ?? ORIGIN;
    this.#due = undefined;
    if (this.#troubles.isPaused || this.#running.size >= concurrency) return false;
    const asked = this.#asked?.shift();
    if (asked) return this.#start(asked);
    await commands.fresh();
    const running = new Set(this.#running.keys());
    const { failed } = await this.#board.read();
    const job = await nextJob({ redis, keys, batch, running, failed, now: Date.now() });
    if ('members' in job) return this.#start(job);
    this.#due = job.due;
    // What failed and is in the queue no more was finished, set aside or forgotten.
    if (running.size === 0 && job.due === undefined) await this.#board.cleared([...failed.keys()]);
    return false;
  }

  /** Takes up a request to try again; it stands on the board until all it asked for was tried. */
  async #answer(): Promise<void> {
    const { redis, keys } = this.#parts.commands;
    const { again, failed } = await this.#board.read();
    if (again.size > 0 && !this.#asked) {
      this.#troubles.pausedUntil = 0;
      await this.#troubles.clear();
      await this.#board.cleared([...failed.keys()]);
      this.#asked = [...again.values()].includes('parked') ? [...(await parkedJobs(redis, keys))] : [];
      this.#askedBy = [...again.keys()];
    }
    if (this.#asked?.length === 0 && this.#askedRunning === 0) await this.#answered();
  }

  async #answered(): Promise<void> {
    this.#asked = undefined;
    await this.#board.answered(this.#askedBy);
  }

  #start(job: Job): boolean {
    if (job.again) this.#askedRunning += 1;
    const work = this.#do(job).finally(() => {
      if (job.again) this.#askedRunning -= 1;
      for (const member of job.members) this.#running.delete(member);
      this.poke();
    });
    for (const member of job.members) this.#running.set(member, work);
    return true;
  }

  async #do(job: Job): Promise<void> {
    const { commands, onTrouble } = this.#parts;
    const { signal } = this.#tenure;
    try {
      await this.#board.started(job.members, new Date(commands.now()).toISOString());
      await this.#enrich(job, signal);
      await this.#board.cleared(job.members);
      this.#troubles.noteStored();
    } catch (error) {
      if (signal.aborted) return;
      const refused = isDomainError(error) && error.code !== 'INTERNAL';
      await (refused ? Promise.reject(error) : this.#failed(job, error)).catch((outage: unknown) => {
        onTrouble('an enrichment waits for the store', outage);
        this.#troubles.noteRefusal();
      });
    } finally {
      await this.#board.ended(job.members).catch(() => undefined);
    }
  }

  async #enrich({ members }: Job, signal: AbortSignal): Promise<void> {
    const { commands, model, maxFacts } = this.#parts;
    const sources = await this.#sources(members);
    if (sources.length === 0) return this.#untilLate(signal);
    const { facts, skipped } = await extractFacts(model, sources, maxFacts, signal);
    await this.#troubles.clear();
    const published = await publishFacts(commands, sources, { facts, skipped, model: model.nameOf('extraction') }, signal);
    if (published.outcome === 'published') await commands.settled(published.position);
  }

  async #sources(members: readonly string[]): Promise<readonly Source[]> {
    const histories = await this.#parts.commands.log.load(members);
    return histories.flatMap((history) => sourceOf(history) ?? []).filter(isDue);
  }

  /** The view still shows what the log has finished. */
  async #untilLate(signal: AbortSignal): Promise<void> {
    await createWakeup().sleep(LATE_MS, signal);
  }

  async #failed(job: Job, error: unknown): Promise<void> {
    const { commands, onTrouble } = this.#parts;
    const failure = failureOf(error);
    await this.#troubles.noteFailure(failure, new Date(commands.now()).toISOString());
    onTrouble(`an enrichment failed (${failure.code})`, failure.code === 'INTERNAL' ? error : undefined);
    // What is wrong with a setting is no fault of the memories.
    if (failure.permanent) return this.#answered();
    const { failed } = await this.#board.read();
    for (const member of job.members) await this.#setBack(member, job.again, failure, failed.get(member));
  }

  /** One more failure of one memory: it is tried again later, or parked. */
  async #setBack(member: string, again: boolean, { code, retryAfterMs }: Failure, before: Failed | undefined): Promise<void> {
    const sources = await this.#sources([member]).catch(() => undefined);
    if (sources?.length === 0) return this.#board.cleared([member]);
    // One whose history cannot be read is looked at again now and then.
    const [source] = sources ?? [];
    const earlier = before?.of === source?.of ? before?.attempts : undefined;
    const attempts = (again ? (source?.parked?.attempts ?? 0) : (earlier ?? 0)) + 1;
    if (source && (again || attempts >= this.#parts.maxAttempts)) return this.#park(source, code, attempts);
    const due = Date.now() + this.#troubles.pause(attempts, retryAfterMs);
    await this.#board.failed(member, { of: source?.of ?? 0, attempts, code, due });
  }

  async #park(read: Source, code: string, attempts: number): Promise<void> {
    const { log, random, now, settled } = this.#parts.commands;
    const [source] = (await stillDue(this.#parts.commands, [read])) ?? [];
    if (!source) return;
    const answer = await log.append({
      commandId: random.ulid(now()),
      actor: ENRICHER,
      at: new Date(now()).toISOString(),
      writes: [
        { subject: source.key, expected: source.version, events: [{ type: 'EnrichmentParked', data: { of: source.of, code, attempts } }] },
      ],
      result: { parked: source.key },
    });
    await this.#board.cleared([source.key]);
    // A version conflict leaves it in the queue, where it is met again.
    if ('events' in answer) await settled(answer.events.at(-1)?.position ?? ORIGIN);
  }

  async #rest(signal: AbortSignal, sleep: Wakeup['sleep']): Promise<void> {
    const now = Date.now();
    const { pausedUntil } = this.#troubles;
    const next = now < pausedUntil ? pausedUntil : (this.#due ?? Number.POSITIVE_INFINITY);
    const wait = Math.min(IDLE_MS, Math.max(CALM_MS, next - now));
    const resting = new AbortController();
    const until = AbortSignal.any([signal, resting.signal]);
    // What is written cannot be begun anyway while all hands are full or nothing is tried.
    const busy = this.#running.size >= this.#parts.concurrency || this.#troubles.isPaused;
    const waits = [sleep(wait, until)];
    if (!busy) waits.push(this.#parts.commands.log.waitForMore(this.#seen, wait, until));
    await Promise.race(waits);
    resting.abort();
    await createWakeup().sleep(CALM_MS, signal);
  }
}
