import { memoryDecider } from '../../domain/memory/memory.js';
import { classifyNeighbour } from '../../domain/similarity.js';
import { stateOf } from '../eventlog/handle.js';
/** Neighbours looked at beyond the ones of the same project, which are sorted out after the search. */
const CANDIDATES = 20;
const WORD_CANDIDATES = 5;
/**
 * Memories of the same namespace and project that are related to a new text, nearest first. Archived ones do not count.
 * Advice on a fresh read: two writers at once may both miss each other; only equal texts are decided atomically.
 */
export const relatedMemories = async (parts, scope, content, embedded, textIndex = 0) => {
    const { index, log } = parts;
    const filter = {
        states: ['active', 'deprioritised'],
        ...(scope.project !== undefined && { projects: [scope.project] }),
    };
    const similarity = new Map();
    const embedder = embedded.state === 'stored' ? embedded.embedder : undefined;
    const windows = embedded.state === 'stored' ? embedded.windows[textIndex] : undefined;
    const space = index.serving;
    const sameSpace = embedder !== undefined && space !== undefined && space.model.id === embedder.identity.id;
    for (const { key } of index.lexicalSearch(scope.namespace, content, WORD_CANDIDATES, filter))
        similarity.set(key, 0);
    const [first] = windows ?? [];
    if (sameSpace && first) {
        for (const hit of await space.similarities(scope.namespace, first, [...similarity.keys()]))
            similarity.set(hit.key, hit.similarity);
        for (const hit of await space.knn(scope.namespace, first, CANDIDATES, filter))
            similarity.set(hit.key, hit.similarity);
    }
    const thresholds = parts.thresholds(embedder);
    const inScope = [...similarity]
        .filter(([key]) => index.documents.get(key)?.project === scope.project)
        .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
        .slice(0, CANDIDATES);
    const histories = await log.load(inScope.map(([key]) => key));
    return histories.flatMap((history, i) => {
        const { state } = stateOf(memoryDecider, history);
        const cosine = inScope[i]?.[1] ?? 0;
        if (!('content' in state) || state.status === 'archived')
            return [];
        const neighbour = classifyNeighbour(content, state.content, cosine, thresholds);
        return neighbour.relation === 'none' ? [] : [{ key: history.subject, content: state.content, similarity: cosine, neighbour }];
    });
};
//# sourceMappingURL=neighbours.js.map