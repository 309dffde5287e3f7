import { Command } from 'commander';
import { addAt } from './commands/at.js';
import { addBackup } from './commands/backup.js';
import { addBackups } from './commands/backups.js';
import { addBriefing } from './commands/briefing.js';
import { addDoctor } from './commands/doctor.js';
import { addEnrich } from './commands/enrich.js';
import { addExport } from './commands/export.js';
import { addForget } from './commands/forget.js';
import { addHealth } from './commands/health.js';
import { addImport } from './commands/import.js';
import { addLog } from './commands/log.js';
import { addMaintain } from './commands/maintain.js';
import { addMcp } from './commands/mcp.js';
import { addMerge } from './commands/merge.js';
import { addMigrate } from './commands/migrate.js';
import { addModel } from './commands/model.js';
import { addProjectName } from './commands/project-name.js';
import { addRecall } from './commands/recall.js';
import { addReembed } from './commands/reembed.js';
import { addReindex } from './commands/reindex.js';
import { addRemember } from './commands/remember.js';
import { addReplay } from './commands/replay.js';
import { addRestore } from './commands/restore.js';
import { addStart } from './commands/start.js';
import { addTimeline } from './commands/timeline.js';
import { addUndo } from './commands/undo.js';
import { addVerify } from './commands/verify.js';
import { EXIT_CODES_HELP } from './exit-codes.js';

const COMMANDS = [
  addStart,
  addMcp,
  addRemember,
  addRecall,
  addBriefing,
  addForget,
  addUndo,
  addTimeline,
  addProjectName,
  addAt,
  addLog,
  addVerify,
  addReplay,
  addReindex,
  addMaintain,
  addReembed,
  addEnrich,
  addBackup,
  addBackups,
  addRestore,
  addMerge,
  addImport,
  addExport,
  addMigrate,
  addModel,
  addHealth,
  addDoctor,
];

const ABOUT = `Long-term memory for coding agents: remember and recall over an event log on Valkey.

A command uses the instance that runs on the data folder (omnimem start, or npm start). When none runs, it starts one for
as long as it needs it.`;

const MORE = `
Examples:
  omnimem start                                    run the server and print how to connect to it
  omnimem remember "Staging listens on port 8081" --project shop --tag ports
  omnimem recall which port does staging use
  omnimem log --follow                             watch what is written
  omnimem doctor                                   find out what is wrong

${EXIT_CODES_HELP}

Settings come from the environment and from .env; .env.example lists them all.
omnimem help <command> explains one command.`;

/** The whole command line. Errors of usage are thrown as CommanderError, after they were printed. */
export const createProgram = (): Command => {
  const program: Command = new Command('omnimem')
    .description(ABOUT)
    .option('--json', 'print JSON in place of text: one document, or one a line where there are many')
    .option('--data-dir <folder>', 'the data folder; default OMNIMEM_DATA_DIR, else ./data')
    // What a command has for itself means nothing to those below it.
    .configureHelp({ showGlobalOptions: true, visibleGlobalOptions: (command) => [...(command.parent ? program.options : [])] })
    .showHelpAfterError('(omnimem help explains)')
    .exitOverride()
    .addHelpText('after', MORE);
  for (const add of COMMANDS) add(program);
  return program;
};
