import { mkdtempSync, rmSync } from 'node:fs';
import { Redis } from 'iovalkey';
import { encode, type Session, serveResp } from './resp.js';
import { argumentBytes, replyBytes, type Step, transcript } from './search-transcripts.js';

export type Replay = AsyncDisposable & {
  readonly redis: Redis;
  /** Requests that were refused because they were not recorded. */
  readonly refused: readonly string[];
};

/**
 * A server that answers what valkey-search 1.2.1 answered, byte for byte, in the order of the recording, and refuses any
 * other request by an error that names it. A request recorded several times gets the next of its replies.
 */
export const replay = async (...sections: readonly string[]): Promise<Replay> =>
  replaySteps(sections.flatMap((id) => transcript(id).steps));

export const replaySteps = async (steps: readonly Step[]): Promise<Replay> => {
  const recorded = steps.filter(({ cmd }) => cmd !== undefined);
  const refused: string[] = [];
  let next = 0;
  const answer = (args: readonly Buffer[]): Buffer => {
    const later = recorded.findIndex((step, i) => i >= next && same(step, args));
    const at = later >= 0 ? later : recorded.findIndex((step) => same(step, args));
    const step = recorded[at];
    if (step) {
      next = at + 1;
      return replyBytes(step);
    }
    const request = args.map((arg) => (arg.includes(0) ? `<${arg.length} bytes>` : arg.toString())).join(' ');
    refused.push(request);
    return encode({ error: `ERR not recorded: ${request}` });
  };
  const home = mkdtempSync('/tmp/omt-');
  const session = (): Session => ({ answer, end: () => undefined });
  const server = await serveResp(`${home}/s`, session);
  // Without its own requests at the start: they were not recorded.
  const redis = new Redis({ path: `${home}/s`, enableReadyCheck: false });
  return {
    redis,
    refused,
    [Symbol.asyncDispose]: async () => {
      redis.disconnect();
      await server[Symbol.asyncDispose]();
      rmSync(home, { recursive: true, force: true });
    },
  };
};

const same = ({ cmd }: Step, args: readonly Buffer[]): boolean =>
  cmd?.length === args.length && cmd.every((recorded, i) => args[i]?.equals(argumentBytes(recorded)));
