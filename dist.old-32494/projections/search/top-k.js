/** Similarities and scores are compared and returned with 6 digits, so that the last bits of a sum never decide. */
export const rounded = (score) => Math.round(score * 1e6) / 1e6;
/** Whatever is below `floor - ROUNDING` cannot come out at or above `floor` when rounded. */
const ROUNDING = 1e-6;
/**
 * The k best of a stream of (slot, score): rounded score first, then the slot's key in code unit order. The order of
 * arrival does not matter.
 */
export class TopK {
    slots = [];
    scores = [];
    k;
    keyOf;
    /** Raw scores below this one cannot enter any more. */
    floor = Number.NEGATIVE_INFINITY;
    constructor(k, keyOf) {
        this.k = k;
        this.keyOf = keyOf;
    }
    offer(slot, rawScore) {
        const score = rounded(rawScore);
        if (this.slots.length < this.k) {
            this.slots.push(slot);
            this.scores.push(score);
            this.siftUp(this.slots.length - 1);
        }
        else if (this.k > 0 && this.worse(this.scores[0], this.slots[0], score, slot)) {
            this.slots[0] = slot;
            this.scores[0] = score;
            this.siftDown();
        }
        else
            return;
        if (this.slots.length === this.k)
            this.floor = this.scores[0] - ROUNDING;
    }
    /** Best first. */
    sorted() {
        return this.slots
            .map((slot, i) => ({ slot, score: this.scores[i] }))
            .sort((a, b) => (this.worse(a.score, a.slot, b.score, b.slot) ? 1 : -1));
    }
    worse(score, slot, otherScore, otherSlot) {
        return score !== otherScore ? score < otherScore : this.keyOf(slot) > this.keyOf(otherSlot);
    }
    worseAt(i, j) {
        return this.worse(this.scores[i], this.slots[i], this.scores[j], this.slots[j]);
    }
    swap(i, j) {
        [this.slots[i], this.slots[j]] = [this.slots[j], this.slots[i]];
        [this.scores[i], this.scores[j]] = [this.scores[j], this.scores[i]];
    }
    siftUp(start) {
        for (let child = start; child > 0;) {
            const parent = (child - 1) >> 1;
            if (!this.worseAt(child, parent))
                return;
            this.swap(child, parent);
            child = parent;
        }
    }
    siftDown() {
        for (let parent = 0;;) {
            const left = 2 * parent + 1;
            if (left >= this.slots.length)
                return;
            const right = left + 1;
            const worst = right < this.slots.length && this.worseAt(right, left) ? right : left;
            if (!this.worseAt(worst, parent))
                return;
            this.swap(worst, parent);
            parent = worst;
        }
    }
}
//# sourceMappingURL=top-k.js.map