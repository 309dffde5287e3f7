import { it } from 'vitest';
import { isSuppressed } from '../../../domain/suppression.js';
import { findSecrets } from '../../../domain/secrets.js';
import { chunkText } from '../../../domain/chunking.js';
import { classifyNeighbour, looksContradictory } from '../../../domain/similarity.js';
import { passageAround, clip } from '../../../domain/passage.js';
import { stripFraming, frame } from '../../../domain/framing.js';
import { normalisedForIdentity, parseContent } from '../../../domain/content.js';
import { parseProjectName } from '../../../domain/project.js';
import { dateHint } from '../../../domain/temporal.js';
const inputs: Record<string,string> = {
 spaces: 'a'+' '.repeat(49_990)+'b', dots: '.'.repeat(50_000), newlines: '\n '.repeat(25_000), begins: ('-----BEGIN '+'PRIVATE KEY-----').repeat(1800).slice(0,50_000),
 ticks: '`\n'.repeat(25_000), quotes: '."'.repeat(25_000), dashes: '-'.repeat(50_000), sk: 'sk-'.repeat(16_000), word: 'x'.repeat(50_000), marks: 'e'+'\u0301'.repeat(49_000), family:'👩‍👩‍👧‍👦'.repeat(4500), not: "don't use with without never ".repeat(1700), sep:'a-'.repeat(25000), aws:'aws_secret_key='.repeat(3300), dotabc: 'a.b'.repeat(16000), header: '[omnimem:memory key=a score=1 source="\\'.repeat(1200),
 under: '_'.repeat(50_000), user: 'user:\n'.repeat(8000), dates:'last monday 2026-11-03 3/4 '.repeat(75), trig:'last '.repeat(400),
};
const fns: Record<string,(t:string)=>unknown> = { sup: t=>isSuppressed(t,['machine learning','go','数据']), sec: findSecrets, tp: t=>chunkText(t,'turn_pairs'), se: t=>chunkText(t,'sentences'), pa: t=>chunkText(t,'paragraphs'), ft: t=>chunkText(t,'fixed_tokens'),
 cls: t=>classifyNeighbour(t+' 8080', t+' 8081', .97), cls2: t=>classifyNeighbour(t+' b'.repeat(5000), 'b '.repeat(5000)+t, .97), con: t=>looksContradictory(t,t+' use x'), pas: t=>passageAround(t,['user','a','b','b'],150), clip: t=>clip(t,40_001), strip: stripFraming, fr: t=>frame([{key:'k',content:t,score:1,source:t}]), id: normalisedForIdentity, pc: t=>{try{parseContent(t)}catch{}}, pn: t=>{try{parseProjectName(t)}catch{}}, dh: t=>dateHint(t.slice(0,2000),Date.now()) };
it('timing', () => { const slow: string[]=[]; for (const [fn,f] of Object.entries(fns)) for (const [n,t] of Object.entries(inputs)) { const s=performance.now(); f(t); const d=performance.now()-s; if (d>60) slow.push(`${fn} ${n} ${d.toFixed(0)}ms`);} console.log(slow.join('\n')||'none slow'); }, 600000);
