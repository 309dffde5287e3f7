import { isDue, type Source, sourceOf } from '../../domain/enrichment/source.js';
import { ORIGIN, type Position } from '../../domain/envelope.js';
import { isDomainError } from '../../domain/errors.js';
import type { CommandParts } from '../commands/parts.js';
import { isPermanent, type Model, ModelError } from '../llm/port.js';
import { createWakeup } from '../wakeup.js';
import { createBoard, type Failed, type Trouble } from './enricher-board.js';
import { extractFacts } from './enricher-extract.js';
import { type Job, nextJob, parkedJobs } from './enricher-jobs.js';
import { createLead } from './enricher-lead.js';
import { ENRICHER, publishFacts, stillDue } from './enricher-publish.js';

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
  /** Milliseconds of the first pause after a failure, which doubles up to the longest. Default 2 s and 10 minutes. */
  readonly backoff?: { readonly first: number; readonly longest: number } | undefined;
  readonly onTrouble: (message: string, error?: unknown) => void;
};

/**
 * Draws facts from what was remembered in full mode, in the background. The queue is a view of the log and what ends a job
 * is in the log, written together with its facts: a worker that dies leaves nothing half done, and a job that runs twice
 * writes once. What is counted here (attempts, pauses) may be lost at any time.
 */
export class Enricher {
  #parts: EnricherParts;
  #wakeup = createWakeup();
  #stopping = new AbortController();
  /** Aborted when another process took the lead. */
  #tenure = new AbortController();
  #lead: ReturnType<typeof createLead>;
  #board: ReturnType<typeof createBoard>;
  #running = new Map<string, Promise<void>>();
  #asked: Job[] = [];
  #failures = 0;
  #pausedUntil = 0;
  /** When the next job that failed is tried again. */
  #due: number | undefined;
  #leading = false;
  #trouble: Trouble | undefined;
  #seen: Position = ORIGIN;
  #loop: Promise<void> | undefined;

  constructor(parts: EnricherParts) {
    const { redis, keys } = parts.commands;
    this.#parts = parts;
    this.#board = createBoard(redis, keys);
    this.#lead = createLead(redis, keys, () => this.#tenure.abort(new Error('another process enriches now')));
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  /** Something changed that the log does not show: look now. */
  poke(): void {
    this.#wakeup.poke();
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    this.#tenure.abort(new Error('the process stops'));
    await this.#loop;
    await Promise.allSettled(this.#running.values());
    await this.#lead.release().catch(() => undefined);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    // While the process starts there is no view yet.
    for (let outages = 0; !signal.aborted; ) {
      try {
        if (!(await this.#leads())) await this.#wakeup.sleep(NO_LEAD_MS, signal);
        else if (!(await this.#begin())) await this.#rest(signal);
        outages = 0;
      } catch (error) {
        if (signal.aborted) return;
        outages += 1;
        if (outages > STARTING) this.#parts.onTrouble('the enrichment queue cannot be read; it is tried again', error);
        await this.#wakeup.sleep(Math.min(OUTAGE_MS, CALM_MS * 2 ** outages), signal);
      }
    }
  }

  async #leads(): Promise<boolean> {
    if (this.#tenure.signal.aborted) {
      await Promise.allSettled(this.#running.values());
      this.#tenure = new AbortController();
      this.#leading = false;
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
    const { again } = await this.#board.read();
    if (again) await this.#again(again === 'parked');
    this.#seen = (await log.head())?.position ?? ORIGIN;
    this.#due = undefined;
    if (this.#trouble?.stopped || this.#running.size >= concurrency || Date.now() < this.#pausedUntil) return false;
    const asked = this.#asked.shift();
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

  async #again(parked: boolean): Promise<void> {
    const { redis, keys } = this.#parts.commands;
    await this.#board.taken();
    this.#pausedUntil = 0;
    await this.#recovered();
    await this.#board.cleared([...(await this.#board.read()).failed.keys()]);
    if (parked) this.#asked = [...(await parkedJobs(redis, keys))];
  }

  #start(job: Job): boolean {
    const work = this.#do(job).finally(() => {
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
    } catch (error) {
      if (signal.aborted) return;
      await (isDomainError(error, 'UNAVAILABLE') ? Promise.reject(error) : this.#failed(job, error)).catch((outage: unknown) => {
        onTrouble('an enrichment waits for the store', outage);
        this.#pausedUntil = Date.now() + OUTAGE_MS;
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
    await this.#recovered();
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

  async #recovered(): Promise<void> {
    this.#failures = 0;
    if (!this.#trouble) return;
    this.#trouble = undefined;
    await this.#board.trouble(undefined);
  }

  async #failed(job: Job, error: unknown): Promise<void> {
    const { commands, onTrouble } = this.#parts;
    const failure = error instanceof ModelError ? error : undefined;
    const code = failure?.code ?? 'INTERNAL';
    const stopped = failure !== undefined && isPermanent(failure);
    const message = failure?.message ?? 'An enrichment failed for a reason of its own; see the log';
    this.#failures += 1;
    const since = this.#trouble?.since ?? new Date(commands.now()).toISOString();
    this.#trouble = { code, message, since, count: this.#failures, stopped };
    await this.#board.trouble(this.#trouble);
    onTrouble(`an enrichment failed (${code})`, failure ? undefined : error);
    // What is wrong with a setting is no fault of the memories.
    if (stopped) return;
    const retryAfterMs = failure?.retryAfterMs;
    if (failure && isOutage(failure)) this.#pausedUntil = Date.now() + this.#pause(this.#failures, retryAfterMs);
    const { failed } = await this.#board.read();
    for (const member of job.members) await this.#setBack(member, job.again, code, failed.get(member), retryAfterMs);
  }

  /** One more failure of one memory: it is tried again later, or parked. */
  async #setBack(
    member: string,
    again: boolean,
    code: string,
    before: Failed | undefined,
    retryAfterMs: number | undefined,
  ): Promise<void> {
    const [source] = await this.#sources([member]).catch(() => [undefined]);
    const earlier = before?.of === source?.of ? before?.attempts : undefined;
    const attempts = (again ? (source?.parked?.attempts ?? 0) : (earlier ?? 0)) + 1;
    if (source && (again || attempts >= this.#parts.maxAttempts)) return this.#park(source, code, attempts);
    const due = Date.now() + this.#pause(attempts, retryAfterMs);
    await this.#board.failed(member, { of: source?.of ?? 0, attempts, code, due });
  }

  /** Exponential, up to the longest, and anywhere in the upper half of that, so that processes do not fall into step. */
  #pause(attempts: number, asked = 0): number {
    const { first = 2_000, longest = 600_000 } = this.#parts.backoff ?? {};
    const chance = this.#parts.commands.random.bytes(2).readUInt16BE() / 65_536;
    return Math.max(asked, Math.min(longest, first * 2 ** (attempts - 1)) * (0.5 + chance / 2));
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

  async #rest(signal: AbortSignal): Promise<void> {
    const now = Date.now();
    const next = now < this.#pausedUntil ? this.#pausedUntil : (this.#due ?? Number.POSITIVE_INFINITY);
    const wait = Math.min(IDLE_MS, Math.max(CALM_MS, next - now));
    const resting = new AbortController();
    const until = AbortSignal.any([signal, resting.signal]);
    // What is written cannot be begun anyway while all hands are full or nothing is tried.
    const busy = this.#running.size >= this.#parts.concurrency || now < this.#pausedUntil || this.#trouble?.stopped === true;
    const waits = [this.#wakeup.sleep(wait, until)];
    if (!busy) waits.push(this.#parts.commands.log.waitForMore(this.#seen, wait, until));
    await Promise.race(waits);
    resting.abort();
    await createWakeup().sleep(CALM_MS, signal);
  }
}

/** Whether the service as a whole did not serve, whatever it was sent. */
const isOutage = ({ code }: ModelError): boolean => OUTAGES.has(code);
const OUTAGES: ReadonlySet<string> = new Set(['OVERLOADED', 'RATE_LIMITED', 'TIMEOUT', 'UNAVAILABLE']);
