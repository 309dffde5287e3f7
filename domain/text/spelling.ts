/** `anonymise`, `-ised`, `-ising`, `-isation`: from a length on at which few words end so by chance, and they are changed alike everywhere. */
const ISE = /^([a-z]{4,})is(e[ds]?|er|ers|ing|ation|ations)$/;
const OUR = /^(behavi|col|fav|flav|hon|lab|neighb|harb|hum|vap)our/;
const RE = /^(cent|met|theat|fib)re(s?)$/;
const LOGUE = /^(cata|dia|ana|epi|mono)logue/;
const DOUBLED = /^(cancel|label|model|travel|signal|level|channel|total|marshal)l(ed|ing|er|ers)$/;
const CE = /^(li|of|def|pret)en([cs])e/;

/** Past forms that no ending tells, but those that are other words as well, or their plain form is (`left`, `led`, `spoke`, `went`). */
const IRREGULAR: ReadonlyMap<string, string> = new Map(
  `began begin begun begin blew blow blown blow bought buy brought bring broke break broken break built build caught catch chose choose chosen choose
  came come dealt deal drew draw drawn draw drank drink drove drive ate eat eaten eat fought fight flew fly flown fly
  forgot forget forgotten forget froze freeze frozen freeze gave give given give grew grow grown grow heard hear held hold hid hide hidden hide
  kept keep knew know known know lent lend lost lose made make overwritten overwrite overwrote overwrite paid pay ran run
  rebuilt rebuild rewritten rewrite rewrote rewrite rode ride risen rise said say sent send sold sell spent spend spoken speak
  stolen steal stole steal stood stand swam swim swum swim taught teach taken take took take threw throw thrown throw
  told tell understood understand woke wake won win wore wear worn wear wrote write written write withdrawn withdraw withdrew withdraw sought seek shown show
  slept sleep sang sing sung sing sank sink sunk sink burnt burn learnt learn dreamt dream children child people person mice mouse indices index
  matrices matrix vertices vertex`
    .trim()
    .split(/\s+/)
    .flatMap((form, i, all) => (i % 2 === 0 ? [[form, all[i + 1] ?? form] as const] : [])),
);

/** An English word in its plain form where its past has one of its own, and in one spelling of the British and the American; lower-cased. */
export const oneSpelling = (word: string): string => {
  const plain = IRREGULAR.get(word);
  if (plain !== undefined) return plain;
  if (word.length < 5) return word;
  return word
    .replace(ISE, '$1iz$2')
    .replace(OUR, '$1or')
    .replace(RE, '$1er$2')
    .replace(LOGUE, '$1log')
    .replace(DOUBLED, '$1$2')
    .replace(CE, (_, start: string) => `${start}ense`);
};
