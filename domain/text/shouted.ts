/** Words that logs, SQL, HTTP, standards and notes write in capitals: nobody means one thing by them. */
const WORDS = `
debug trace error errors warning warnings fatal critical severe notice alert emerg emergency panic verbose failed failure failures fails
passed success succeeded skipped aborted denied refused ignored running started stopped pending detail details context statement exception
cause caused stack
select where order group having limit offset insert update delete create alter table tables index union inner outer right cross using values
distinct between exists commit rollback begin transaction primary foreign unique constraint references default cascade grant revoke truncate
explain analyze vacuum returning conflict nothing trigger function procedure column columns database schema return merge window partition
lateral fetch first query count false
patch options connect
fixme warn caution important attention deprecated draft review hinweis achtung wichtig fehler warnung
shall should required recommended optional never always please stderr stdout stdin enabled disabled input output start build release
version usage options note notes summary title status total
`;
const SHOUTED: ReadonlySet<string> = new Set(WORDS.split(/\s+/).filter((word) => word !== ''));

const CAPITALS = /^[A-Z][A-Z\d]{4,}$/;

/** Whether a word stands in capitals as the names of errors do (`ECONNREFUSED`), and is none that is often shouted. */
export const isNameInCapitals = (word: string): boolean => CAPITALS.test(word) && !SHOUTED.has(word.toLowerCase());
