import { MINILM_Q8 } from '../../../services/embedding/manifest.js';
import { openMiniLm } from '../../../services/embedding/minilm.js';
import type { Figure } from '../figures.js';
import { type QualityRow, runRetrieval } from '../retrieval.js';
import type { Scenario } from '../scenario.js';

export const retrieval: Scenario = {
  name: 'retrieval',
  about: 'share of the evidence that real questions find, with the real model: by vectors only, by words only, fused',
  long: true,
  run: async ({ model, say }) => {
    const found = await model();
    if ('missing' in found) {
      say(`the model is not here (${found.missing})`);
      return [];
    }
    const embedder = await openMiniLm({ dir: found.dir, manifest: MINILM_Q8 });
    try {
      const report = await runRetrieval({ embedder, progress: say });
      if ('skipped' in report) {
        say(report.skipped);
        return [];
      }
      const groupOf = ({ set, category }: QualityRow): string => `${set}, ${category}`;
      const groups = [...new Set(report.quality.map(groupOf))];
      return groups.flatMap((group) =>
        figuresOf(
          group,
          report.quality.filter((row) => groupOf(row) === group),
        ),
      );
    } finally {
      await embedder.close();
    }
  },
};

/** Adversarial questions, paraphrases without a shared word and bare identifiers are each one searcher's own ground. */
const TARGETED = /, all$/;

const figuresOf = (group: string, rows: readonly QualityRow[]): Figure[] => {
  const by = (method: QualityRow['method']): QualityRow | undefined => rows.find((row) => row.method === method);
  const [vectors, words, fused] = [by('vectors'), by('words'), by('fused')];
  if (!vectors || !words || !fused) return [];
  return (['recall5', 'recall10'] as const).map((measure): Figure => {
    const better = vectors[measure] >= words[measure] ? vectors : words;
    const targeted = measure === 'recall10' && TARGETED.test(group);
    return {
      scenario: 'retrieval',
      name: `${group}: fused ${measure.replace('recall', 'recall@')}`,
      unit: 'share',
      value: fused[measure],
      baseline: { name: `vectors ${vectors[measure].toFixed(3)}, words ${words[measure].toFixed(3)}; the better`, value: better[measure] },
      ratio: fused[measure] / better[measure],
      ...(targeted && { target: { text: '> 1', met: fused[measure] > better[measure] } }),
      note: `${fused.questions} questions`,
    };
  });
};
