import { type Command, Redis, type RedisOptions } from 'iovalkey';
import { connectorTo } from './connector.js';
import { type NodeAddress, type Refusal, refusalOf, servesWhole } from './redirections.js';
import { createSlotRoute, optionsTo, type SlotRoute } from './route.js';

type Stream = Parameters<Redis['sendCommand']>[1];
type Retry = { left: number; until: number | undefined; asked: boolean; over: boolean };

const MAX_REDIRECTIONS = 16;
/** Milliseconds for which a command waits for a slot that is between two nodes, or for a cluster that is not whole. */
const PATIENCE_MS = 2_000;
const PAUSE_MS = 50;

/**
 * A connection to whichever primary of a cluster serves one slot. A tenant lives in one slot, so to everybody else this is
 * the connection to its server: each command has one place, keyless ones (`INFO`, `TIME`, `SCRIPT LOAD`) go to that place
 * too, and a write whose connection broke is not sent again unless its kind says so. A node that refuses a command has not
 * run it, so what it refused is sent again: to the node it names, or after a pause, for at most two seconds.
 *
 * The library's cluster client is not used: it sends a command again when the connection broke under it, whatever the kind,
 * and keyless commands to any node.
 */
export class SlotConnection extends Redis {
  readonly #route: SlotRoute;
  readonly #options: RedisOptions;
  readonly #asked = new Map<string, Redis>();
  readonly #followed = new WeakSet<Command>();
  /** Cursors mean something only to the node that gave them. */
  readonly #cursors = new Set<string>();
  /** How often a node was reached: what one node began, another cannot go on with. */
  #arrivals = 0;
  #leaving = false;
  #parked: { readonly send: () => void; readonly fail: (error: Error) => void }[] = [];

  /** `options` lead to any node of the cluster; `key` is a key of the slot. */
  constructor(options: RedisOptions, key: string) {
    const route = createSlotRoute(options, key);
    super({ ...options, Connector: connectorTo(route, options) });
    this.#route = route;
    this.#options = options;
    this.on('ready', () => this.#arrived());
    this.on('close', () => {
      this.#leaving = false;
    });
    this.on('end', () => this.#ended());
  }

  override sendCommand(command: Command, stream?: Stream): unknown {
    if (!this.#followed.has(command)) {
      this.#followed.add(command);
      this.#follow(command);
      if (command.name === 'scan' && !this.#keepScanWhole(command)) return command.promise;
    }
    return super.sendCommand(command, stream);
  }

  override disconnect(reconnect = false): void {
    super.disconnect(reconnect);
    if (!reconnect) this.#ended();
  }

  #follow(command: Command): void {
    const retry: Retry = { left: MAX_REDIRECTIONS, until: undefined, asked: false, over: false };
    const fail = command.reject;
    command.reject = (error) => {
      if (retry.over) return;
      const refusal = command.inTransaction ? undefined : retry.asked && isUnknownScript(error) ? TRY_AGAIN : refusalOf(error);
      retry.until ??= refusal?.kind === 'wait' ? performance.now() + PATIENCE_MS : undefined;
      if (!refusal || retry.left-- <= 0 || performance.now() > (retry.until ?? Number.POSITIVE_INFINITY)) {
        retry.over = true;
        fail.call(command, error);
        return;
      }
      // Alone now, whatever pipeline it came with.
      delete command.pipelineIndex;
      this.#sendAgain(command, refusal, retry);
    };
  }

  #sendAgain(command: Command, refusal: Refusal, retry: Retry): void {
    retry.asked = false;
    const send = (): void => {
      if (!retry.over) super.sendCommand(command);
    };
    if (refusal.kind === 'ask') {
      retry.asked = true;
      const node = this.#nodeAt(this.#route.addressOf(refusal.host, refusal.port));
      node.asking().catch(() => undefined);
      node.sendCommand(command);
    } else if (refusal.kind === 'moved' && this.#route.movedTo(refusal.host, refusal.port)) {
      this.#parked.push({ send, fail: command.reject });
      this.#leave();
    } else {
      // So many pauses fit into the patience that the count of redirections is not for them.
      retry.left += 1;
      retry.until ??= performance.now() + PATIENCE_MS;
      setTimeout(send, PAUSE_MS);
    }
  }

  #leave(): void {
    if (this.#leaving || this.status !== 'ready') return;
    this.#leaving = true;
    this.disconnect(true);
  }

  #nodeAt(address: NodeAddress): Redis {
    const name = JSON.stringify(address);
    const node = this.#asked.get(name) ?? new Redis(optionsTo(this.#options, address));
    if (!this.#asked.has(name)) node.on('error', (error) => this.emit('error', error));
    this.#asked.set(name, node);
    return node;
  }

  #arrived(): void {
    this.#arrivals += 1;
    this.#cursors.clear();
    for (const node of this.#asked.values()) node.quit().catch(() => undefined);
    this.#asked.clear();
    for (const { send } of this.#parked.splice(0)) send();
  }

  #ended(): void {
    for (const node of this.#asked.values()) node.disconnect();
    this.#asked.clear();
    for (const { fail } of this.#parked.splice(0)) fail(new Error('Connection is closed.'));
  }

  /** A scan of half a slot would look complete. It fails instead, and whoever scans begins anew when the slot is whole. */
  #keepScanWhole(command: Command): boolean {
    const cursor = String(command.args[0]);
    const begun = this.#arrivals;
    if (cursor !== '0' && !this.#cursors.delete(cursor)) {
      command.reject(scanCutOff());
      return false;
    }
    const answer = command.resolve;
    command.resolve = (reply) => {
      const answered = this.#arrivals;
      this.#checkWhole().then(
        () => {
          if (this.#arrivals !== answered || (cursor !== '0' && answered !== begun)) return command.reject(scanCutOff());
          this.#cursors.add(String(reply[0]));
          answer.call(command, reply);
        },
        (error: Error) => command.reject(error),
      );
    };
    return true;
  }

  async #checkWhole(): Promise<void> {
    const slot = this.#route.slot();
    if (slot !== undefined && servesWhole(String(await this.call('CLUSTER', 'NODES')), slot)) return;
    throw new Error('TRYAGAIN The slot is being moved and would be scanned in half');
  }
}

const TRY_AGAIN: Refusal = { kind: 'wait', because: 'TRYAGAIN' };

const scanCutOff = (): Error => new Error('MOVED The node that began this scan no longer goes on with it');

/** The other node of a move has not met the script yet; the move will end before it needs to. */
const isUnknownScript = ({ message }: Error): boolean => message.startsWith('NOSCRIPT');
