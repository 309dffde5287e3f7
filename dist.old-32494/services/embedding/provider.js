export const EMBEDDING_CHOICES = ['auto', 'minilm', 'use-lite', 'none'];
//# sourceMappingURL=provider.js.map