import { randomBytes } from 'node:crypto';
import { monotonicFactory } from 'ulid';
export const systemRandom = () => ({ ulid: monotonicFactory(), bytes: randomBytes });
//# sourceMappingURL=random.js.map