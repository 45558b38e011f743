// Writes the table of changes into docs/reference/schema-changes.md, from the classification of
// packages/language/schemadiff. --check writes nothing, and fails if the file is out of date.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { classification, classificationMarkdown } from '../packages/language/schemadiff/src/index.ts';
import { root } from './workspace.ts';

const begin = '<!-- classification: written by npm run schema-policy -->';
const end = '<!-- end of the classification -->';
const target = join(root, 'docs', 'reference', 'schema-changes.md');
const text = readFileSync(target, 'utf8');
const [head, tail] = [text.indexOf(begin), text.indexOf(end)];
if (head === -1 || tail < head)
  throw new Error('docs/reference/schema-changes.md: the marks of the classification are not there');
const wanted = `${text.slice(0, head)}${begin}\n\n${classificationMarkdown()}\n\n${text.slice(tail)}`;

if (!process.argv.includes('--check')) writeFileSync(target, wanted);
else if (text === wanted)
  console.log(
    `schema-policy: ${Object.keys(classification).length} kinds of changes, as packages/language/schemadiff has them`,
  );
else {
  console.error(
    'docs/reference/schema-changes.md: is not what packages/language/schemadiff says; run `npm run schema-policy`',
  );
  process.exitCode = 1;
}
