import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './config.js';
/** The version in package.json. */
export const VERSION = JSON.parse(readFileSync(join(projectRoot(), 'package.json'), 'utf8')).version;
//# sourceMappingURL=version.js.map