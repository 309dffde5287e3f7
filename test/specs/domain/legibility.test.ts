import { describe, expect, it } from 'vitest';
import type { FusedHit } from '../../../domain/fusion.js';
import { isForeignMatch, isQueryRead, isTextRead, legibility } from '../../../domain/legibility.js';

describe('what an English model reads', () => {
  it.each(['How do we deploy?', 'Überweisungsbestätigung', 'ERR_MODULE_NOT_FOUND', '10.42.7.19', 'café → naïve ✅', 'Ngôn ngữ', 'C++'])(
    '%j is read whole',
    (text) => {
      expect(legibility(text)).toBe(1);
      expect(isQueryRead(text) && isTextRead(text)).toBe(true);
    },
  );

  it.each([
    '東京の天気',
    '天气预报',
    '회의실 예약',
    'погода в Москве',
    'ما هو الطقس',
    'สภาพอากาศวันนี้',
    'नमस्ते दुनिया',
    '🦄',
    '?',
    '- -- ---',
    '',
  ])('%j is not read', (text) => {
    expect(legibility(text)).toBe(0);
    expect(isQueryRead(text) || isTextRead(text)).toBe(false);
  });

  it('counts a letter of another script as much as four of its own', () => {
    expect(legibility('Jenkinss сб')).toBe(0.5);
    expect(isQueryRead('iPhone 修理')).toBe(false);
    expect(isQueryRead('how to cook 红烧肉 at home')).toBe(true);
  });

  it('asks more of a text that may be taken for another than of a question', () => {
    const section = '### 包含作用域\n```\nfeat(api)!: send an email to the customer when a product is shipped\n```';
    expect(isQueryRead(section)).toBe(true);
    expect(isTextRead(section)).toBe(false);
    expect(isTextRead('The sign Ω stands for the resistance of the wire in the drawings.')).toBe(true);
  });

  it('takes a memory for the answer to a question in another language by a shared word, or when it is very near', () => {
    const floors = { fused: 0.36, lexical: 0.36 };
    const isMatch = (hit: Partial<FusedHit>) =>
      isForeignMatch({ relevance: 0.36, lexical: 0, coverage: 0, cosine: undefined, ...hit }, floors);
    expect(isMatch({ lexical: 0.01, cosine: 0.3 })).toBe(true);
    expect(isMatch({ lexical: 0.01, cosine: 0.3, relevance: 0.35 })).toBe(false);
    expect(isMatch({ cosine: 0.55 })).toBe(true);
    expect(isMatch({ cosine: 0.54 })).toBe(false);
    expect(isMatch({})).toBe(false);
  });

  it('takes it as well when its words alone would be enough, however far its vector is', () => {
    const floors = { fused: 0.36, lexical: 0.36 };
    const far = { relevance: 0.1, cosine: -0.1 };
    expect(isForeignMatch({ ...far, lexical: 0.2, coverage: 0.4 }, floors)).toBe(true);
    expect(isForeignMatch({ ...far, lexical: 0.1, coverage: 0.4 }, floors)).toBe(false);
  });
});
