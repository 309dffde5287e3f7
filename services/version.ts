import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './config.js';

/** The version in package.json. */
export const VERSION: string = (JSON.parse(readFileSync(join(projectRoot(), 'package.json'), 'utf8')) as { version: string }).version;
