// Writes the commands into docs/reference/flags.md, from their help, and the fields into docs/reference/config.md, from
// the config file's schema. --check writes nothing, and fails if a file is out of date or a field has no description.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commands as bindCommands } from '../apps/kubectl-bind/src/command-line.ts';
import { onceCommands } from '../apps/supervisor/src/commands/once.ts';
import { configSchema } from '../packages/runtime/config/src/config.ts';
import { runCommands } from '../apps/supervisor/src/run-commands.ts';
import { commandGroups } from '../apps/supervisor/src/usage.ts';
import { commandsMarkdown } from './reference/commands.ts';
import { fieldsMarkdown, fieldsOf, type Schema } from './reference/config.ts';
import { root } from './workspace.ts';

const CONFIG = 'packages/runtime/config/src/config.ts';
const end = '<!-- End of what is generated. -->';

const commands = [...runCommands, ...onceCommands.map(({ description }) => description)];
const fields = fieldsOf(configSchema.toJSONSchema({ io: 'input' }) as Schema);
const files = [
  {
    file: 'docs/reference/flags.md',
    begin: '<!-- Generated from the descriptions of the commands by `npm run reference`. -->',
    generated: commandsMarkdown('hawser', commandGroups, commands),
  },
  {
    file: 'docs/reference/kubectl-bind.md',
    begin: '<!-- Generated from the descriptions of the commands by `npm run reference`. -->',
    generated: commandsMarkdown(
      'kubectl bind',
      [
        {
          title: 'Commands',
          commands: bindCommands.map(({ purpose, description: { name } }) => ({ call: name, purpose })),
        },
      ],
      bindCommands.map(({ description }) => description),
    ),
  },
  {
    file: 'docs/reference/config.md',
    begin: '<!-- Generated from packages/runtime/config/src/config.ts by `npm run reference`. -->',
    generated: fieldsMarkdown(fields, ['konnector', 'provider', 'syncagent']),
  },
];
const problems = fields
  .filter(({ description }) => description === undefined)
  .map(({ path }) => `${CONFIG}: ${path} has no description, so docs/reference/config.md cannot say what it is for`);

for (const { file, begin, generated } of files) {
  const text = readFileSync(join(root, file), 'utf8');
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined)
    throw new Error(`${file} has no place for what is generated: ${begin} … ${end}`);
  const wanted = `${before}${begin}\n\n${generated}\n\n${end}${after}`;
  if (!process.argv.includes('--check')) writeFileSync(join(root, file), wanted);
  else if (text !== wanted) problems.push(`${file}: is not what apps/supervisor says; run \`npm run reference\``);
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log(`reference: ${commands.length} commands and ${fields.length} fields of the config file`);
