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
womit worauf woran worüber wovon wozu wurde wurden während zu zum zur zwar zwischen über viel viele lassen lässt
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
/** Function words of languages that the embedding models do not read, spelt with their accents. Some of them mean something in English. */
export const FUNCTION_WORDS: Readonly<Record<Language, ReadonlySet<string>>> = { German: GERMAN, French: FRENCH, Spanish: SPANISH };

/** Words that English has as well, so that they do not tell. */
const ALSO_ENGLISH = words(`
also am an as bin dies hat her in is man mal no so war was will du die den des de la le les on me son a y o do un en sur plus pour par qui est ab hier hin
c d l n s er es dir mit um ob da ins das dem nun gab sein el los del con hay se lo et ne au ce ser
`);
const WORD = /[\p{L}\p{M}]+/gu;
/** Endings of German nouns, in words that no English one looks like. */
const GERMAN_NOUN = /^\p{L}{4,}(?:ungen|ung|schaft|schaften|keit|keiten|heiten)$/u;
const GERMAN_LETTERS = /[äöüß]/;

/**
 * The language that a text is written in when it shows that it is not English: a quarter of its words, and more than are English,
 * are function words of that language (of German also nouns by their endings). Undefined for English, for names and code, and where
 * too little tells.
 */
export const foreignLanguage = (text: string): Language | undefined => {
  const said = (text.normalize('NFC').toLowerCase().match(WORD) ?? []).filter((word) => word.length > 1 || word === 'y' || word === 'à');
  let best: { readonly language: Language; readonly telling: number } | undefined;
  for (const language of Object.keys(FUNCTION_WORDS) as Language[]) {
    const own = FUNCTION_WORDS[language];
    const nouns = language === 'German' ? said.filter((word) => GERMAN_NOUN.test(word)).length : 0;
    const spelt = language === 'German' ? said.filter((word) => !own.has(word) && GERMAN_LETTERS.test(word)).length : 0;
    const telling = nouns + said.filter((word) => own.has(word) && !ALSO_ENGLISH.has(word)).length;
    const all = nouns + spelt + said.filter((word) => own.has(word)).length;
    const english = said.filter((word) => STOP_WORDS.has(word) && !own.has(word)).length;
    if (telling === 0 || all * 4 < said.length || all <= english) continue;
    if (best === undefined || telling > best.telling) best = { language, telling };
  }
  return best?.language;
};
