// Checks the README of every published package: it has the required parts, and its TypeScript examples compile against
// the sources. One compiler run checks all examples. Each keeps its README's line numbers, so messages point there.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.ts';
import { codeBlocks, missingParts } from './readme.ts';
import { publishedPackages, root } from './workspace.ts';

const target = join(root, 'tmp', 'readmes');
const problems: string[] = [];
const readmes = [
  ...publishedPackages().map(({ dir, manifest }) => ({
    file: `${dir}/README.md`,
    library: manifest.exports?.['.'] !== undefined,
  })),
  { file: 'README.md', library: false },
];
let examples = 0;

rmSync(target, { recursive: true, force: true });
for (const { file, library } of readmes) {
  if (!existsSync(join(root, file))) {
    problems.push(`${file}: missing`);
    continue;
  }
  const text = readFileSync(join(root, file), 'utf8');
  const missing = library ? missingParts(text) : [];
  if (missing.length > 0) problems.push(`${file}: has no ${missing.join(', no ')}`);
  for (const [index, block] of codeBlocks(text, 'ts').entries()) {
    const folder = join(target, file);
    mkdirSync(folder, { recursive: true });
    // Makes every example a module, with or without imports.
    writeFileSync(join(folder, `${index}.ts`), `${block}\nexport {};\n`);
    examples++;
  }
}
problems.push(...unlisted(), ...(await compile()));

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log(`readmes: ${examples} examples of ${readmes.length} files compile`);

/** Published packages that the table of packages does not link. */
function unlisted(): readonly string[] {
  const table = 'docs/reference/packages.md';
  const text = existsSync(join(root, table)) ? readFileSync(join(root, table), 'utf8') : '';
  return publishedPackages()
    .filter(({ dir }) => !text.includes(`](../../${dir})`))
    .map(({ dir }) => `${table}: does not mention ${dir}`);
}

async function compile(): Promise<readonly string[]> {
  if (examples === 0) return [];
  const compilerOptions = {
    composite: false,
    declaration: false,
    declarationMap: false,
    emitDeclarationOnly: false,
    noEmit: true,
    types: ['node'],
  };
  writeFileSync(
    join(target, 'tsconfig.json'),
    JSON.stringify({ extends: '../../tsconfig.base.json', compilerOptions, include: ['**/*.ts'] }),
  );
  const { ok, stdout } = await run('tsc', ['-p', target, '--pretty', 'false'], { capture: true });
  // tmp/readmes/packages/runtime/clock/README.md/0.ts(12,3): … → packages/runtime/clock/README.md(12,3): …
  return ok
    ? []
    : stdout
        .trim()
        .split('\n')
        .map((line) => line.replace(/^tmp\/readmes\/(.*README\.md)\/\d+\.ts/u, '$1'));
}
