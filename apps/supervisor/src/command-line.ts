import { readBind } from './commands/bind.js';
import { readBindings } from './commands/bindings.js';
import { readDiff } from './commands/diff.js';
import { readDoctor } from './commands/doctor.js';
import { readHandback } from './commands/handback.js';
import { readPlan } from './commands/plan.js';
import { readPubres } from './commands/pubres.js';
import { readRbac } from './commands/rbac.js';
import { readSchema } from './commands/schema.js';
import type { Task } from './commands/task.js';
import { readTree } from './commands/tree.js';
import { readUnbind } from './commands/unbind.js';
import { readUninstall } from './commands/uninstall.js';
import { readWhy } from './commands/why.js';
import type { Command } from './command.js';
import { ConfigError } from './config.js';
import { flagHelp } from './flags.js';
import { readRunCommand, runFlags } from './run-commands.js';
import { USAGE } from './usage.js';

/** Reads the command line of `hawser`. @throws ConfigError in one line. */
export function readCommand(args: readonly string[], version: string): Command {
  const runs = readRunCommand(args, version);
  if (runs !== undefined) return runs;
  const [verb, ...rest] = args;
  switch (verb) {
    case 'bind':
      return asCommand(readBind(rest));
    case 'unbind':
      return asCommand(readUnbind(rest));
    case 'bindings':
      return asCommand(readBindings(rest));
    case 'doctor':
      return asCommand(readDoctor(rest));
    case 'plan':
      return asCommand(readPlan(rest));
    case 'why':
      return asCommand(readWhy(rest));
    case 'tree':
      return asCommand(readTree(rest));
    case 'rbac':
      return asCommand(readRbac(rest));
    case 'pubres':
      return asCommand(readPubres(rest, version));
    case 'diff':
      return asCommand(readDiff(rest));
    case 'schema':
      return asCommand(readSchema(rest));
    case 'uninstall':
      return asCommand(readUninstall(rest));
    case 'handback':
      return asCommand(readHandback(rest));
    case 'version':
    case '--version':
      return { kind: 'print', text: version };
    case 'help':
      return rest.length === 0 ? usage() : readCommand([...rest, '--help'], version);
    case undefined:
    case '--help':
    case '-h':
      return usage();
    default:
      throw new ConfigError(`unknown command: ${verb}; see hawser --help`);
  }
}

function usage(): Command {
  return { kind: 'print', text: USAGE + flagHelp(runFlags) };
}

/** A command that runs once, or its help. */
function asCommand(read: Task | string): Command {
  return typeof read === 'string' ? { kind: 'print', text: read } : { kind: 'task', task: read };
}
