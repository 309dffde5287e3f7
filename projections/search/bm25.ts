/** Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), usual constants. */
const K1 = 1.2;
const B = 0.75;

/** Of a query that is itself a long text, the rarest known terms decide. */
export const MOST_TERMS = 48;

/** A posting is the document's slot above these bits and its frequency within them. */
export const FREQUENCY_BITS = 8;
export const FREQUENCY_MASK = 2 ** FREQUENCY_BITS - 1;

/** A query's term and what the index knows of it: its postings lie in `postings[start, start + documents)`. */
export type SearchTerm = {
  readonly term: string;
  /** The dictionary's number of it; of a term that no document holds, none that a document has. */
  readonly id: number;
  readonly weight: number;
  /** Spelt out whole: a code or name that means one thing. */
  readonly name?: true | undefined;
  readonly documents: number;
  readonly start: number;
  /** No document holds it more often. */
  readonly mostOften: number;
  /** In no document is length divided by frequency smaller. */
  readonly leastSpread: number;
};

export type Collection = {
  readonly documents: number;
  /** One beyond the highest slot. */
  readonly end: number;
  readonly averageLength: number;
  readonly lengths: Uint32Array;
  readonly postings: Uint32Array;
  readonly matches: (slot: number) => boolean;
  /** How often a document holds a term, 0 if not, by the list of its own terms: far shorter than that of a term's documents. */
  readonly frequencyIn: (slot: number, term: number) => number;
};

/** A term's share of the ideal, and the most it can add to any document. */
export type Weighed = SearchTerm & { readonly ideal: number; readonly bound: number };

/** `known` are the terms that some document holds; `ideal` is the score of one that would hold every term endlessly often. */
export type WeighedQuery = { readonly known: readonly Weighed[]; readonly ideal: number };

const inverseDocumentFrequency = (holders: number, documents: number): number =>
  Math.log(1 + (documents - holders + 0.5) / (holders + 0.5));

/** What a term adds to a document of this length that holds it `frequency` times. */
export const share = (ideal: number, frequency: number, length: number, averageLength: number): number =>
  (ideal * frequency) / (frequency + K1 * (1 - B) + (K1 * B * length) / averageLength);

/** Among equally rare terms no name may fall behind the words that count. */
const namedFirst = (a: SearchTerm, b: SearchTerm): number => Number(b.name ?? false) - Number(a.name ?? false);

/**
 * The terms that some document holds, rarest first, so that the sum of every document is made in the same order whatever
 * happened before.
 */
export const weigh = (terms: readonly SearchTerm[], { documents, averageLength }: Collection): WeighedQuery => {
  const weighed = terms
    .map((term) => {
      const ideal = term.weight * inverseDocumentFrequency(term.documents, documents) * (K1 + 1);
      return { ...term, ideal, bound: ideal / (1 + (K1 * (1 - B)) / term.mostOften + (K1 * B * term.leastSpread) / averageLength) };
    })
    .sort((a, b) => a.documents - b.documents || namedFirst(a, b) || (a.term < b.term ? -1 : 1));
  const known = weighed.filter((term) => term.documents > 0).slice(0, MOST_TERMS);
  const unknown = weighed.filter((term) => term.documents === 0).slice(0, MOST_TERMS - known.length);
  return { ideal: [...unknown, ...known].reduce((sum, term) => sum + term.ideal, 0), known };
};

/** A name that more documents hold than these says little about any of them. */
const RARE = { documents: 5, share: 0.02 } as const;

/** Those of the terms whose presence alone makes a document a match. */
export const namesAmong = (terms: readonly Weighed[], { documents }: Pick<Collection, 'documents'>): readonly Weighed[] =>
  terms.filter((term) => term.name && term.documents <= Math.max(RARE.documents, RARE.share * documents));
