/**
 * What the floor is judged by and was not tuned on: questions in other words about real documents, and questions that no
 * store of these documents can answer. Written before any result was seen, for this benchmark.
 */
export type FloorCase = {
  /** A file of `devdocs` without its ending, or the id of a section of `docs-qa`. */
  readonly document: string;
  readonly paraphrase: string;
};

export const DEVDOCS_PARAPHRASES: readonly FloorCase[] = [
  {
    document: 'govuk-aws--docs-architecture-decisions-0006-puppet-architecture',
    paraphrase: 'should servers pull their setup from one central machine or manage themselves',
  },
  {
    document: 'govuk-aws--docs-architecture-decisions-0010-terraform-directory-structure',
    paraphrase: 'how do we lay out the folders of our infrastructure code so that values and secrets stay apart',
  },
  {
    document: 'govuk-aws--docs-architecture-decisions-0015-dns-infrastructure',
    paraphrase: 'name resolution for private hosts and public endpoints',
  },
  {
    document: 'govuk-aws--docs-architecture-decisions-0018-use-rds-instead--55664b',
    paraphrase: 'why did we move our relational stores to a hosted offering',
  },
  {
    document: 'govuk-aws--docs-architecture-decisions-0021-use-acm-for-ssl--0733c4',
    paraphrase: 'who renews our HTTPS certs now and where is encryption unwrapped',
  },
  {
    document: 'govuk-aws--docs-architecture-decisions-0025-use-elasticache-for-redis',
    paraphrase: 'managed in-memory cache rather than running our own',
  },
  {
    document: 'govuk-aws--docs-architecture-decisions-0029-combine-api-redis-into-backend-redis',
    paraphrase: 'merging two cache servers to spend less',
  },
  {
    document: 'govuk-aws--docs-architecture-decisions-0038-mongo-replacement-by-documentdb',
    paraphrase: 'swapping the NoSQL clusters for an Amazon equivalent',
  },
  {
    document: 'til--aws-output-cli-results-in-different-formats',
    paraphrase: 'print cloud command line answers as a grid instead of brackets',
  },
  { document: 'til--bash-edit-the-current-command-prompt', paraphrase: 'fix a long shell line in my text editor before running it' },
  {
    document: 'til--claude-code-stash-the-current-prompt-to-send-another-first',
    paraphrase: 'put aside what I am typing to the assistant and ask something else meanwhile',
  },
  {
    document: 'til--javascript-add-item-to-an-array-of-references-in-sanity',
    paraphrase: 'link one CMS document to another by appending to a list field',
  },
  { document: 'til--mysql-doing-date-math', paraphrase: 'compute what day it will be in three weeks with SQL' },
  {
    document: 'til--postgres-show-reconstructed-constraints-for-a-table',
    paraphrase: 'see which foreign keys and checks a relation has in the database',
  },
  { document: 'til--python-deduplicate-a-list-into-a-tuple', paraphrase: 'remove repeated elements but keep their order' },
  {
    document: 'til--typescript-type-promise-results-with-the-awaited-type',
    paraphrase: 'get the static kind of what an async function resolves to',
  },
  {
    document: 'til--unix-find-occurrences-of-multiple-values-with-ripgrep',
    paraphrase: 'grep the codebase for any of several words at once',
  },
  { document: 'til--vim-switch-moving-end-of-visual-selection', paraphrase: 'adjust the start of highlighted text in the modal editor' },
  {
    document: 'claude-cookbooks--claude-code-sdk-chief-of-staff-agent-claude',
    paraphrase: 'how long will the startup survive on the money it has left',
  },
  {
    document: 'agentskills--agents',
    paraphrase: 'which file decides when the docs and the code contradict each other about the skill format',
  },
  { document: 'modelcontextprotocol--agents', paraphrase: 'are bots allowed to file tickets and patches against the protocol project' },
  {
    document: 'modelcontextprotocol--seps-986-specify-format-for-tool-names',
    paraphrase: 'which characters may an identifier of a callable function contain and how long may it be',
  },
  {
    document: 'modelcontextprotocol--seps-985-align-oauth-20-protected-reso-940d63',
    paraphrase: 'how clients discover where to log in when access is denied',
  },
  {
    document: 'modelcontextprotocol--seps-1303-input-validation-errors-as-tool-execution-errors',
    paraphrase: 'let the model see bad arguments so it can fix its own call',
  },
  { document: 'repomix--browser-claude', paraphrase: 'how is the Chrome add-on translated into other languages' },
  { document: 'repomix--github-releases-v0.2.x-v0.2.32', paraphrase: 'shrinking source files while keeping function headers and remarks' },
  { document: 'repomix--github-releases-v0.3.x-v0.3.7', paraphrase: 'let the AI search inside the bundled code without reading all of it' },
  { document: 'graphiti--claude', paraphrase: 'library that remembers how facts about entities change over time' },
  { document: 'hindsight--claude', paraphrase: 'how are the client libraries regenerated after an endpoint changes' },
  { document: 'mem0--agents', paraphrase: 'why was my contribution closed automatically within a minute' },
  { document: 'mcp-memory-service--claude', paraphrase: 'check which computer you are on before connecting remotely' },
  { document: 'agent-memory-server--agents', paraphrase: 'which version of the key value store does the memory backend require' },
  { document: 'servers--src-everything-agents', paraphrase: 'coding conventions of the reference server that shows every feature' },
  { document: 'fastify--docs-reference-server', paraphrase: 'limit the size of uploads the web framework accepts' },
  { document: 'bullmq--docs-gitbook-changelogs-changelog-v5', paraphrase: 'history of fixes in the job queue library' },
];

export const DOCS_QA_PARAPHRASES: readonly FloorCase[] = [
  { document: 'doc-006', paraphrase: 'how do I prove who I am when I make a call to the service' },
  { document: 'doc-011', paraphrase: 'where does the library look for my secret credential' },
  { document: 'doc-048', paraphrase: 'what does the vector provider cost' },
  { document: 'doc-049', paraphrase: 'reasons to run the assistant inside a spreadsheet' },
  { document: 'doc-171', paraphrase: 'show words as they are produced so that it feels quicker' },
  { document: 'doc-181', paraphrase: 'benefits of making it reason step by step' },
  { document: 'doc-182', paraphrase: 'drawbacks of long deliberation before answering' },
  { document: 'doc-185', paraphrase: 'advantages of angle bracket markup in instructions' },
  { document: 'doc-188', paraphrase: 'what is gained by telling it to act as a certain expert' },
  { document: 'doc-193', paraphrase: 'split a big job into several successive requests' },
  { document: 'doc-218', paraphrase: 'start the reply on its behalf' },
  { document: 'doc-221', paraphrase: 'how to tell why generation ended' },
  { document: 'doc-230', paraphrase: 'is it worth hiding the hidden instructions from users' },
  { document: 'doc-198', paraphrase: 'when is a language model better at labelling than classic machine learning' },
  { document: 'doc-033', paraphrase: 'ways of marking test answers, by people or by program' },
];

/** General knowledge and small talk. */
export const FLOOR_UNRELATED: readonly string[] = [
  'how tall is Mount Kilimanjaro',
  'who painted the ceiling of the Sistine Chapel',
  'which vaccines does a puppy need in its first year',
  'lyrics of the national anthem of Brazil',
  'best beaches in Sardinia for snorkelling',
  'why did the Roman republic fall',
  'knitting pattern for a child size jumper',
  'how many calories are in a banana',
  'offside rule in football explained',
  'when do cherry trees blossom in Kyoto',
  'treatment of a sprained ankle',
  'the plot of Hamlet in two sentences',
  'what causes thunder and lightning',
  'how do I remove red wine from a carpet',
  'lifespan of a giant tortoise',
  'average rainfall in Bergen in November',
  'how is parmesan cheese aged',
  'capital cities of Central Asia',
  'opening theory of the Sicilian defence',
  'who invented the bicycle',
  'my grandmother’s favourite colour',
  'what time does the swimming pool close',
  'symptoms of iron deficiency',
  'how to prune roses in winter',
  'distance from the Earth to the Moon',
];

/** No language at all, or words without a sense. */
export const FLOOR_NONSENSE: readonly string[] = [
  'zzxqv plonk wibble',
  'grumblefitz snorkwaddle',
  'fhqwhgads',
  'jklö jklö jklö',
  'purple elephants juggling invisible cheese on Neptune',
  'the sad umbrella married a Tuesday',
  'sdkfjh sdkjfh sdkjfh ksjdhf',
  '9a8sd7f 98as7df 0x0x0x',
  'wubba lubba florp',
  'quantum banana sandwich protocol of the moon wizard',
  'tralalero bombardiro cappuccino',
  'mmmmmm hhhhhh',
  '!!! ??? ...',
  'vorpal snicker snack jabberwock',
  'oompah gribbly tock tock',
  'eleven sideways thoughts of a teaspoon',
  'hjkl yuiop bnm',
  'kein plan blubb schnurps',
  'unicorn soup recipe for dragons',
  'twas brillig and the slithy toves',
];

/** The developer's world, but nothing that these documents speak of: the hardest to answer with nothing, so counted apart. */
export const FLOOR_OFF_TOPIC: readonly string[] = [
  'how do I centre a div with flexbox',
  'Kafka consumer group rebalancing',
  'configure the garbage collector of the Java virtual machine',
  'shaders for realistic water in Unity',
  'train a convolutional network on medical images',
  'soldering a connector to a Raspberry Pi',
  'COBOL payroll batch on the mainframe',
  'iOS push notification entitlements',
  'Excel pivot table of quarterly revenue by region',
  'tune the PID controller of a drone',
  'Bluetooth pairing fails on Linux',
  'write a printer driver for Windows',
];
