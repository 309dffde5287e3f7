import { describe, expect, it } from 'vitest';
import { type Meant, meantBy } from '../../../domain/similarity/meant.js';
import { classifyNeighbour } from '../../../domain/similarity.js';

/** As near as a model takes any two of these. */
const CLOSE = 0.98;

const BASEMENT =
  'The nightly cleanup of the media server keeps the original images on the cold disk and deletes the small thumbnails from the hot disk of the rack in the basement';
const RETRIES =
  'The upload client of the mobile application uses linear backoff for retries and switches to the blue endpoint when the queue of the region is full';
const DEPLOY =
  'The release script copies the staging database into the backend cluster and then restarts every worker of the group one after another';

/** Two plain words swapped, and as many others with them as say the opposite. */
const SWAPPED: readonly (readonly [string, string])[] = [
  [BASEMENT, BASEMENT.replace('keeps', 'deletes').replace('small', 'large')],
  [RETRIES, RETRIES.replace('linear', 'exponential').replace('blue', 'green')],
  [DEPLOY, DEPLOY.replace('staging', 'production').replace('backend', 'frontend')],
  [
    'The gateway drops the headers of internal requests and logs the path of the caller in the audit file',
    'The gateway keeps the headers of external requests and logs the path of the caller in the audit file',
  ],
];

describe('two words swapped for two others', () => {
  it.each(SWAPPED)('are not the same, and no duplicate: %j, %j', (there, asked) => {
    for (const [a, b] of [
      [there, asked],
      [asked, there],
    ] as const) {
      expect(meantBy(a, b, CLOSE)).toBeUndefined();
      expect(classifyNeighbour(a, b, CLOSE)).toMatchObject({ relation: 'changed', difference: { old: expect.any(String) } });
    }
  });
  it('are not the same where words are added or dropped around them', () => {
    const swapped = `${BASEMENT.replace('keeps', 'deletes').replace('small ', '')} upstairs`;
    expect(meantBy(swapped, BASEMENT, CLOSE)).toBeUndefined();
    expect(meantBy(BASEMENT, swapped, CLOSE)).toBeUndefined();
  });
});

describe('words mean a memory', () => {
  it.each<[string, string, Meant | undefined]>([
    ['whose text they are', `  ${BASEMENT.toUpperCase()} `, 'identical'],
    ['that they say with other fillers and plurals', BASEMENT.replace('The nightly', 'nightly').replace('images', 'image'), 'same'],
    ['of which they drop a word', BASEMENT.replace('original ', ''), 'same'],
    ['that they turn round', BASEMENT.replace(/^(.*) in the basement$/, 'In the basement, $1'), 'same'],
    ['of which they hold a part', 'nightly cleanup of the media server', 'part'],
    ['but not one that says one word in the place of another', BASEMENT.replace('small', 'large'), undefined],
    ['but not one that lacks two of them', `${BASEMENT.replace('small', 'small blurred')} upstairs`, undefined],
  ])('%s', (_, words, meant) => expect(meantBy(words, BASEMENT, CLOSE)).toBe(meant));
});
