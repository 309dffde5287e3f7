/**
 * English function words that say nothing about a topic. The fragments at the end are what is left when an apostrophe
 * splits a contraction. Kept short: a word that a developer may search for ("like", "use", "new") is not in it.
 */
const WORDS = `
a about above after again all also am an and any are as at be because been before being below between both but by can
could did do does doing down during each few for from further had has have having he her here hers herself him himself
his how i if in into is it its itself just let may me might more most must my myself no nor not of off on once only or
other our ours ourselves out over own shall she should so some such than that the their theirs them themselves then
there these they this those through to too under until up us very was we were what when where which while who whom why
will with would you your yours yourself yourselves
s t d m ll re ve don didn doesn isn aren wasn weren won wouldn couldn shouldn hasn haven hadn ain cannot
`;

export const STOP_WORDS: ReadonlySet<string> = new Set(WORDS.split(/\s+/).filter((word) => word !== ''));
