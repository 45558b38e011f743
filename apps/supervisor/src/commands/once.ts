import type { CommandDescription } from '../command-description.js';
import { runCommands } from '../run-commands.js';
import { bindCommand, readBind } from './bind.js';
import { bindingsCommand, readBindings } from './bindings.js';
import { completionCommand, readCompletion } from './completion.js';
import { configCommand, readConfigCommand } from './config.js';
import { diffCommand, readDiff } from './diff.js';
import { doctorCommand, readDoctor } from './doctor.js';
import { handbackCommand, readHandback } from './handback.js';
import { planCommand, readPlan } from './plan.js';
import { pubresCommand, readPubres } from './pubres.js';
import { rbacCommand, readRbac } from './rbac.js';
import { readRetry, retryCommand } from './retry.js';
import { readSchema, schemaCommand } from './schema.js';
import type { Task } from './task.js';
import { readTree, treeCommand } from './tree.js';
import { readUnbind, unbindCommand } from './unbind.js';
import { readUninstall, uninstallCommand } from './uninstall.js';
import { readWhy, whyCommand } from './why.js';

/** A command that runs once, and ends. */
export interface OnceCommand {
  readonly description: CommandDescription;
  /** Text is to be printed. @throws ConfigError for wrong usage */
  readonly read: (args: readonly string[], version: string) => Task | string;
}

/** Every command that runs once. */
export const onceCommands: readonly OnceCommand[] = [
  { description: bindCommand, read: readBind },
  { description: unbindCommand, read: readUnbind },
  { description: bindingsCommand, read: readBindings },
  { description: whyCommand, read: readWhy },
  { description: doctorCommand, read: readDoctor },
  { description: treeCommand, read: readTree },
  { description: retryCommand, read: (args) => readRetry(args) },
  { description: planCommand, read: readPlan },
  { description: rbacCommand, read: readRbac },
  { description: diffCommand, read: readDiff },
  { description: schemaCommand, read: readSchema },
  { description: pubresCommand, read: readPubres },
  { description: uninstallCommand, read: readUninstall },
  { description: handbackCommand, read: readHandback },
  { description: configCommand, read: readConfigCommand },
  {
    description: completionCommand,
    read: (args) => readCompletion(args, [...runCommands, ...onceCommands.map(({ description }) => description)]),
  },
];
