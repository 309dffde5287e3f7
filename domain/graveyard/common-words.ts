import { stemmer } from 'stemmer';

/**
 * Words that people write all day without meaning a library, an approach or a service. A dead end whose name is one of them
 * is not found in prose, or every question would be answered with it. Technical words that say what something is (cache,
 * polling, webhook) are left out on purpose: dead ends have such names.
 */
const EVERYDAY = `
able accept account across act action active actual actually add address agree ahead allow almost alone along already also although
always among amount another answer anything app application apps apply area around ask assume available away back bad base basic become
begin behind believe best better beyond big bit body book bottom break bring build built business buy call came can care carry case cases
cause certain change changes character check choose clean clear client close code come comes common company compare complete computer
concern condition connect consider contain continue control copy correct cost count course cover create current custom cut dark data date
day days deal decide deep default delete depend describe detail develop development different difficult direct do document done door down
draw drive drop early easy edge edit effect effort either else empty end enough enter entire error even event ever every everyone
everything example except exist expect explain express extra face fact fail fall false family far fast feature feel field figure file files
fill final find fine finish fire first fit fix flow follow food force form forward found free friend front full function future game gave
general get gets give go goes going gone good got great group groups grow guess guide half hand handle happen hard head hear heart heavy
held hello help hi hide high hit hold home hope hour house huge human hundred idea image important improve in include increase inside
instead interest issue item items job join keep kept key keys kind knew know known land large last late later lead learn least leave left
less level life light like likely limit line lines link list listen little live local long longer look lose lost lot love low machine made
main maintain make makes making manage many mark master matter maybe mean means meet memory mention message middle mind minute minutes
mistake mix mode model moment money month morning move much name names near necessary need needs network never new news next nice night
node none normal note nothing notice now number object offer often oh ok okay old one ones open option order original otherwise outside
page paper part parts pass past pay people perfect perform perhaps person pick picture piece place plain plan play please plot point
position possible post power present press pretty previous price private probably problem process product production program project
projects proper provide public pull pure purpose push put question queue quick quickly quite quote raise ran range rate rather reach react
read ready real really reason receive recent record red reduce related release remain remember remove rename repeat replace reply report
request require required response rest result results return review right road role room round row rule rules run running runs safe said
same save saw say says school screen script search second section secure see seem seen select self send sense sent separate server service
set sets setting several shape share sharp short shot show shown side sign similar simple simply since single size sleep slow small smart
soft software solid solution solve somebody someone something sometimes soon sort sound source space speak special specific speed spend
split spot spring stage stand standard start state stay step steps stick still stop store story straight strategy street strong structure
stuff style such suggest support suppose sure surface switch system table take taken talk target task team tell term terms test tests text
thank thanks thing things think third though thought thousand three through throw thus tie time times tiny title today together told
tomorrow took top total touch toward town track trade train travel tree trial true trust truth try turn two type types under understand
unique unit update upon upper use used useful user users using usual usually value values various version video view visit voice wait walk
wall want wants war warm watch water way ways web week weeks well went what whatever whether white whole why wide wild win wind window wish
without wonder word words work worked working works world worse worst worth write wrong wrote year years yellow yes yesterday yet young zero
`;

/** Projects called `<word>.js` whose word alone is English. */
const ENGLISH_JS = `
alpine anime backbone bootstrap chart clipboard day ember fabric gatsby ghost hammer handlebars highlight impress intro knockout leaflet
matter meteor moment mustache next node paper passport phaser popper reveal sails socket solid system three two underscore velocity video
`;

/** Words that are products as well, and are read more often for what they mean. */
const ALSO_WORDS = `
click dash echo linear notion render requests rich swift temporal
`;

/** Words in which a name or a question dresses what it is about. */
const DRESSING = `
use uses used using usage try tries tried trying adopt adopting switch switching move moving migrate migrating introduce introducing
approach approaches library libraries tool tools service services framework frameworks pattern patterns package packages based via instead
`;

/** What the makers of a thing put behind its name, so that it is called by what stands before: `onnx` for `onnxruntime`. */
const TAILS = 'runtime db mq lib sdk engine server client';

const setOf = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter((word) => word !== ''));

export const COMMON_WORDS = setOf(EVERYDAY + ENGLISH_JS + ALSO_WORDS);
/** The same without their English endings: `shared` is as common as `share`. */
export const COMMON_STEMS: ReadonlySet<string> = new Set(
  [...setOf(EVERYDAY)].filter((word) => word.length >= 4).map((word) => stemmer(word)),
);
export const NAME_TAILS: readonly string[] = TAILS.split(' ');
/** Verbs that what is used follows at once (`use react for the UI`). */
export const USING_WORDS = setOf('use using adopt adopting install installing');
/** Names that are written in another way, to the one that is no common word. */
export const OTHER_SPELLINGS: ReadonlyMap<string, string> = new Map([
  ['csharp', 'c#'],
  ['k8s', 'kubernetes'],
  ['postgres', 'postgresql'],
  ['sqlite3', 'sqlite'],
]);
export const DRESSING_WORDS = setOf(DRESSING);
