import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { agentChecks, bindingChecks } from '../packages/cli/binding-conformance/src/index.js';
import { root } from './workspace.ts';

it('the page on conformance has each check, with its level and its words', () => {
  const page = readFileSync(join(root, 'docs/reference/conformance.md'), 'utf8');
  for (const { id, part, level, title } of [...bindingChecks, ...agentChecks])
    expect(page).toContain(`| \`${id}\` | ${part} | ${level} | ${title} |`);
});
