import type { CommandDescription } from '@hawser/config';
import { runCommands } from '../run-commands.js';
import {
  bindCommand,
  readBind,
  bindingsCommand,
  readBindings,
  doctorCommand,
  readDoctor,
  migrateCommand,
  readMigrate,
  moveCommand,
  readMove,
  type Task,
  readTree,
  treeCommand,
  readUnbind,
  unbindCommand,
} from '@hawser/commands';
import { completionCommand, readCompletion } from './completion.js';
import { configCommand, readConfigCommand } from './config.js';
import { conformanceCommand, readConformance } from './conformance.js';
import { diffCommand, readDiff } from './diff.js';
import { handbackCommand, readHandback } from './handback.js';
import { planCommand, readPlan } from './plan.js';
import { pubresCommand, readPubres } from './pubres.js';
import { rbacCommand, readRbac } from './rbac.js';
import { readRetry, retryCommand } from './retry.js';
import { readSchema, schemaCommand } from './schema.js';
import { readSupportBundle, supportBundleCommand } from './support-bundle.js';
import { readUninstall, uninstallCommand } from './uninstall.js';
import { readWhy, whyCommand } from './why.js';

/** A command that runs once and ends. */
export interface OnceCommand {
  readonly description: CommandDescription;
  /**
   * A text result is printed.
   * @throws ConfigError for wrong usage
   */
  readonly read: (args: readonly string[], version: string) => Task | string;
}

/** Every command that runs once. */
export const onceCommands: readonly OnceCommand[] = [
  { description: bindCommand, read: readBind },
  { description: unbindCommand, read: readUnbind },
  { description: bindingsCommand, read: readBindings },
  { description: whyCommand, read: readWhy },
  { description: doctorCommand, read: readDoctor },
  { description: supportBundleCommand, read: readSupportBundle },
  { description: treeCommand, read: readTree },
  { description: retryCommand, read: (args) => readRetry(args) },
  { description: moveCommand, read: readMove },
  { description: planCommand, read: readPlan },
  { description: rbacCommand, read: readRbac },
  { description: conformanceCommand, read: (args) => readConformance(args) },
  { description: diffCommand, read: readDiff },
  { description: schemaCommand, read: readSchema },
  { description: pubresCommand, read: readPubres },
  { description: uninstallCommand, read: readUninstall },
  { description: migrateCommand, read: readMigrate },
  { description: handbackCommand, read: readHandback },
  { description: configCommand, read: readConfigCommand },
  {
    description: completionCommand,
    read: (args) => readCompletion(args, [...runCommands, ...onceCommands.map(({ description }) => description)]),
  },
];
