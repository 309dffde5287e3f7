import { withoutUnseen } from './fold.js';
import { STOP_WORDS } from './stop-words.js';

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter((word) => word !== ''));

const GERMAN = words(`
ab aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bin bis bist da dabei dafür dagegen damit danach daran darauf
daraus darf darüber das dass davon dazu dein deine dem den denn der des deshalb dessen deren dich die dies diese diesem diesen dieser dieses dir doch dort du
durch dürfen eben ein eine einem einen einer eines einige er erst es etwa etwas euch euer für gab ganz gar geht gegen gehen genau gibt hab habe haben hat hatte hatten
hier hin ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in indem ins ist ja jede jedem jeden jeder jedes jetzt kann kein keine keinem keinen keiner können
könnte machen macht man manche mal mehr mein meine mich mir mit muss müssen nach nachdem nein nicht nichts noch nun nur ob oder ohne sehr sein seine
seinem seinen seiner seit sich sie sind so sobald soll sollen sollte sondern sonst um und uns unser unsere unserem unseren unserer unter vom von vor wann war waren warum
was weil welche welchem welchen welcher welches wem wen wenn wer werde werden wessen wie wieder wieso weshalb wieviel will wir wird wo wobei wodurch wofür woher wohin
womit worauf woran worüber wovon wozu wurde wurden während zu zum zur zwar zwischen über viel viele lassen lässt lange oft gilt gelten bleibt bleiben
steht stehen liegt liegen heißt heißen bekommt bekommen
`);
const FRENCH = words(`
le la les l un une du de d des et ou c ce ces cette que quoi qui quel quelle quels quelles comment pourquoi quand où il elle ils elles je tu nous
vous on ça cela est sont était a à au aux en dans pour par sur avec pas ne n se s sa son ses y combien plus notre nos votre leur leurs être fait faut
`);
const SPANISH = words(`
el la los las un una unos unas de y o es son fue qué que quién quiénes cómo como cuándo cuánto cuánta dónde cuál cuáles para por con del al lo su sus yo tú él
ella en esto eso esta este está están no se nos nuestro nuestra hay ser porque
`);

export type Language = 'German' | 'French' | 'Spanish';
/** Function words of languages that the embedding models read badly, spelt with their accents. Some of them mean something in English. */
export const FUNCTION_WORDS: Readonly<Record<Language, ReadonlySet<string>>> = { German: GERMAN, French: FRENCH, Spanish: SPANISH };

/** Words that English, its names or its abbreviations have as well, so that they do not tell. */
const ALSO_ENGLISH = words(`
also am an as bin dies hat her in is man mal no so war was will du die den des de la le les on me son a y o do un en sur plus pour par qui est ab hier hin
c d l n s er es dir um ob da ins nun el los del con hay se lo et ne au ce ser comment ses ces sa tu ou elle nous fait notre pas im ist
als aus wer nach bei von vom wie weil al para como sus este yo über à oft lange aux uno nos gar esta
`);
const WORD = /[\p{L}\p{M}]+/gu;
/** Whether a lower-cased word shows by itself that a text is not English. */
export const isTelling = (word: string): boolean =>
  !ALSO_ENGLISH.has(word) && Object.values(FUNCTION_WORDS).some((words) => words.has(word));

/** Endings of German nouns, in words that hardly any English one looks like. */
const GERMAN_NOUN = /^(?!samsung|overhung)\p{L}{4,}(?:ungen|ung|schaft|schaften|keit|keiten|heiten)$/u;
const LETTERS: Readonly<Record<Language, RegExp>> = {
  German: /[äöüß]/,
  French: /[àâçèéêëîïôùûœ]/,
  Spanish: /[áéíñóú]/,
};
/** What a sentence begins behind. */
const BEGINNING = /(?:^|[.!?¿¡:;\n"'«„“(])\s*$/u;
const CAPITAL = /^\p{Lu}/u;
const WHOLE_LOOK_BACK = 8;

type Said = { readonly word: string; readonly isPlain: boolean };

/** The words of a text, lower-cased. Not plain: in capitals, or capitalised inside a sentence, as names and abbreviations are. */
const wordsSaid = (text: string): Said[] => {
  const composed = withoutUnseen(text).normalize('NFC');
  return [...composed.matchAll(WORD)].flatMap(({ 0: written, index }) => {
    const word = written.toLowerCase();
    if (word.length < 2 && word !== 'y' && word !== 'à') return [];
    const isShouted = written.length > 1 && written === written.toUpperCase() && written !== word;
    const isName = CAPITAL.test(written) && !BEGINNING.test(composed.slice(Math.max(0, index - WHOLE_LOOK_BACK), index));
    return [{ word, isPlain: !isShouted && !isName }];
  });
};

/**
 * The language that a text is written in when it shows that it is not English: a quarter of its words, and more than are English,
 * are function words of that language, two of them such as English has not, or one beside another sign: a word with letters of that
 * language, a German noun by its ending, two function words more. A name or an abbreviation is no sign. Undefined for English, for
 * names and code, and in doubt.
 */
export const foreignLanguage = (text: string): Language | undefined => {
  const said = wordsSaid(text);
  let best: { readonly language: Language; readonly telling: number } | undefined;
  for (const language of Object.keys(FUNCTION_WORDS) as Language[]) {
    const own = said.filter(({ word, isPlain }) => isPlain && FUNCTION_WORDS[language].has(word)).map(({ word }) => word);
    const telling = own.filter((word) => !ALSO_ENGLISH.has(word));
    if (telling.length === 0) continue;
    const others = said.filter(({ word, isPlain }) => !(isPlain && FUNCTION_WORDS[language].has(word))).map(({ word }) => word);
    const spelt = others.filter((word) => LETTERS[language].test(word) || (language === 'German' && GERMAN_NOUN.test(word)));
    const accented = telling.filter((word) => LETTERS[language].test(word));
    const shared = own.filter((word) => ALSO_ENGLISH.has(word) && !STOP_WORDS.has(word));
    const isShown = telling.length > 1 || spelt.length > 0 || accented.length > 0 || shared.length > 1;
    const english = others.filter((word) => STOP_WORDS.has(word)).length;
    const all = own.length + spelt.length;
    if (!isShown || all * 4 < said.length || all <= english) continue;
    if (best === undefined || telling.length > best.telling) best = { language, telling: telling.length };
  }
  return best?.language;
};

/** The function words of a text that is not English, lower-cased with their accents: not where they are written as a name is, too. */
export const functionWordsIn = (text: string): ReadonlySet<string> => {
  const language = foreignLanguage(text);
  if (language === undefined) return NO_WORDS;
  const said = wordsSaid(text);
  const names = new Set(said.flatMap(({ word, isPlain }) => (isPlain ? [] : [word])));
  return new Set(said.flatMap(({ word }) => (FUNCTION_WORDS[language].has(word) && !names.has(word) ? [word] : [])));
};

const NO_WORDS: ReadonlySet<string> = new Set();
