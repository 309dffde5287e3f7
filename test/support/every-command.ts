import type { Commands } from '../../services/api.js';
import type { TestApp } from './app.js';

type Inputs = { readonly [Name in keyof Commands]: Parameters<Commands[Name]>[0] };

/**
 * Sets the stage for each command and answers an input for it that has `said` in every field that takes free text, in such a
 * place that the command changes something. A new command does not compile before it is here.
 */
export const everyCommand = (
  { app, call }: Pick<TestApp, 'app' | 'call'>,
  said: string,
): { readonly [Name in keyof Commands]: () => Promise<Inputs[Name]> } => {
  let count = 0;
  const next = (): number => {
    count += 1;
    return count;
  };
  const remembered = async (project = 'stage'): Promise<string> => {
    const answer = await app.commands.remember({ content: `Stage prop number ${next()} of the play.`, project, force: true }, call);
    if (answer.status !== 'stored') throw new Error('nothing was stored');
    return answer.key;
  };
  const project = async (): Promise<string> => {
    const name = `play-${next()}`;
    await remembered(name);
    return name;
  };
  const contradicting = async (name: string): Promise<readonly [string, string]> => {
    const pair: string[] = [];
    for (const port of [8080, 9090]) {
      const content = `The gateway of ${name} listens on port ${port} in production.`;
      const answer = await app.commands.remember({ content, project: name, force: true }, call);
      if (answer.status === 'stored') pair.push(answer.key);
    }
    return [pair[0] ?? '', pair[1] ?? ''];
  };
  const texts = (more: object = {}) => ({ description: said, stack: said, goals: said, current_state: said, notes: said, ...more });
  const deadEnd = { name: said, type: 'tool', reason: said } as const;
  return {
    remember: async () => ({ content: `A first line, ${said}`, tags: [said], licence: 'restricted', licence_note: said, project: 'stage' }),
    rememberDocument: async () => ({
      content: `A second page, ${said}`,
      tags: [said],
      licence: 'restricted',
      licence_note: said,
      project: 'stage',
    }),
    revise: async () => ({ key: await remembered(), content: `Other words, ${said}`, reason: said }),
    retag: async () => ({ key: await remembered(), add: [said], remove: [`${said}-2`] }),
    deprioritise: async () => ({ key_or_query: await remembered(), reason: said, reinstate_hints: [said] }),
    archive: async () => ({ key_or_query: await remembered(), reason: said }),
    reinstate: async () => {
      const key = await remembered();
      await app.commands.logAbandoned({ key, ...deadEnd, force: true }, call);
      await app.commands.archive({ key_or_query: key }, call);
      return { key_or_query: key };
    },
    forget: async () => {
      const key = await remembered();
      const preview = await app.commands.forget({ key_or_query: key }, call);
      if (preview.status !== 'preview') throw new Error('nothing to forget');
      return { confirm: true, preview_id: preview.preview_id, keys: [key] };
    },
    undo: async () => {
      const correlation = `01KB5M1V8G3X9Y2Z4W6Q7R8S${String(next()).padStart(2, '0')}`;
      await app.commands.suppressTopic({ topic: said, reason: said, force: true }, { ...call, commandId: correlation });
      return { correlation };
    },
    suppressTopic: async () => ({ topic: `${said} again`, reason: said }),
    unsuppressTopic: async () => {
      await app.commands.suppressTopic({ topic: `${said} thrice`, reason: said, force: true }, call);
      return { topic: `${said} thrice` };
    },
    setLicence: async () => ({ keys: [await remembered(), said], licence: 'restricted', licence_note: said }),
    setProvenance: async () => ({ keys: [await remembered(), said], provenance: 'external' }),
    setProjectContext: async () => ({ ...texts(), project_name: await project(), domains: [said, `no domain: ${said}!`] }),
    updateProjectState: async () => {
      const project_name = await project();
      await app.commands.setProjectContext({ project_name, description: 'a', stack: 'b', goals: 'c', current_state: 'd' }, call);
      return { project_name, current_state: said, notes: said };
    },
    compileProjectContext: async () => {
      const project_name = await project();
      const content = `A line of the draft of ${project_name}, ${said}`;
      await app.commands.remember({ content, project: project_name, tags: [said], force: true }, call);
      return { project_name, auto_save: true, max_tokens: 2_000 };
    },
    deleteProject: async () => {
      const project_name = await project();
      await app.commands.setProjectContext({ ...texts(), project_name, domains: [said], force: true }, call);
      return { project_name, include_context: true, confirm: true };
    },
    deprioritiseProject: async () => ({ project_name: await project(), reason: said, include_context: true, confirm: true }),
    reinstateProject: async () => {
      const project_name = await project();
      await app.commands.deprioritiseProject({ project_name, reason: said, confirm: true, force: true }, call);
      return { project_name, confirm: true };
    },
    recordExperience: async () => ({
      key: await remembered(),
      effort_score: 5,
      outcome: 'abandoned',
      abandoned_approaches: [deadEnd],
      breakthrough: said,
      gotchas: said,
    }),
    logAbandoned: async () => ({ key: await remembered(), ...deadEnd }),
    liftDeadEnd: async () => {
      const key = await remembered();
      await app.commands.logAbandoned({ key, ...deadEnd, force: true }, call);
      return { key, ...deadEnd };
    },
    reindex: async () => ({}),
    checkContradictions: async () => {
      const name = await project();
      await contradicting(name);
      return { project_filter: name, query: `gateway port ${said}` };
    },
    resolveContradiction: async () => {
      const name = await project();
      const [key_a, key_b] = await contradicting(name);
      await app.commands.checkContradictions({ project_filter: name }, call);
      return { key_a, key_b, keep: key_b, note: said };
    },
    maintain: async () => {
      const name = await project();
      await contradicting(name);
      return { project: name };
    },
    mergeProjects: async () => {
      const from = await project();
      await app.commands.compileProjectDomains({ project_name: from, domains: [said], force: true }, call);
      return { from, into: `play ${said}`, into_is_new: true };
    },
    compileProjectDomains: async () => {
      const project_name = await project();
      await app.commands.compileProjectDomains({ project_name, domains: [`${said}-before`], force: true }, call);
      return { project_name, domains: [said, `${said}-2`, `no domain: ${said}!`] };
    },
  };
};
