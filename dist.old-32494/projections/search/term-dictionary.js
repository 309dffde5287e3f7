import { grown, Slots } from './growable.js';
/** Numbers the terms that at least one document holds, and bounds how much each can weigh anywhere. */
export class TermDictionary {
    ids = new Map();
    terms = [];
    slots = new Slots();
    mostOften = new Uint8Array(0);
    leastSpread = new Float64Array(0);
    get size() {
        return this.ids.size;
    }
    /** One beyond the highest id in use. */
    get end() {
        return this.slots.end;
    }
    find(term) {
        return this.ids.get(term);
    }
    findOrAdd(term) {
        const known = this.ids.get(term);
        if (known !== undefined)
            return known;
        const id = this.slots.take();
        this.ids.set(term, id);
        this.terms[id] = term;
        this.mostOften = grown(this.mostOften, id + 1);
        this.leastSpread = grown(this.leastSpread, id + 1);
        this.mostOften[id] = 0;
        this.leastSpread[id] = Number.POSITIVE_INFINITY;
        return id;
    }
    remove(id) {
        this.ids.delete(this.terms[id]);
        this.terms[id] = undefined;
        this.slots.give(id);
    }
    /** Remembers that a document of this length holds the term so often. */
    widen(id, frequency, length) {
        if (frequency > this.mostOften[id])
            this.mostOften[id] = frequency;
        const spread = length / frequency;
        if (spread < this.leastSpread[id])
            this.leastSpread[id] = spread;
    }
    /** No document that is left holds the term more often; removals may leave it too high. */
    mostOftenIn(id) {
        return this.mostOften[id];
    }
    /** In no document that is left is length divided by frequency smaller; removals may leave it too low. */
    leastSpreadOf(id) {
        return this.leastSpread[id];
    }
    dump(to) {
        to.strings(this.terms.map((term) => term ?? ''));
        to.array(this.mostOften.subarray(0, this.end));
        to.array(this.leastSpread.subarray(0, this.end));
    }
    static load(from) {
        const dictionary = new TermDictionary();
        const free = [];
        dictionary.terms = from.strings().map((term, id) => {
            if (term === '') {
                free.push(id);
                return undefined;
            }
            dictionary.ids.set(term, id);
            return term;
        });
        dictionary.slots = new Slots(dictionary.terms.length, free);
        dictionary.mostOften = from.uint8();
        dictionary.leastSpread = from.float64();
        return dictionary;
    }
}
//# sourceMappingURL=term-dictionary.js.map