import { type AddCommand, does, examples } from '../command.js';
import { EXIT } from '../exit-codes.js';

export const addProjectName: AddCommand = (program) => {
  const command = program
    .command('project-name')
    .summary('print the project that a folder belongs to')
    .description(
      'Prints the name under which the work in a folder is remembered: the setting omnimem.project of its git repository, else the name of the repository at its remote, else the folder of the repository (the main one, also inside a worktree), else the name of the folder. Asks git and nothing else.',
    )
    .argument('[folder]', 'the folder; default: the present one')
    .addHelpText('after', examples('omnimem project-name', 'git config omnimem.project shop && omnimem project-name'));
  does(command, async (context, _options, folder) => {
    const { projectNameOf } = await import('../../project-name.js');
    const named = await projectNameOf(typeof folder === 'string' ? folder : process.cwd());
    context.answer(named, ({ project }) => project);
    return EXIT.ok;
  });
};
