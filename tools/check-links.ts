// Checks that every relative link of the Markdown files leads to a file and heading, and that every file of docs/ named
// by a source exists.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brokenLinks, brokenNames } from './links.ts';
import { root } from './workspace.ts';

const { stdout, status } = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
});
// An unpacked archive is no repository: git cannot list its files, so nothing is checked.
const files = (status === 0 ? stdout : '').split('\n').filter((file) => file !== '' && existsSync(join(root, file)));
const markdown = files.filter((file) => file.endsWith('.md'));
// Tests name missing files on purpose.
const sources = files.filter(
  (file) =>
    /\.(?:c?[jt]s|mjs|ya?ml|json|md|tpl|template|txt)$/u.test(file) &&
    !/\.test\.ts$|(?:^|\/)recorded\/|^package-lock\.json$/u.test(file),
);

const texts = new Map<string, string>();
const repository = {
  text: (file: string) => {
    const known = texts.get(file);
    if (known !== undefined || !existsSync(join(root, file))) return known;
    const text = readFileSync(join(root, file), 'utf8');
    texts.set(file, text);
    return text;
  },
  exists: (path: string) => existsSync(join(root, path)),
};
const problems = [
  ...markdown.flatMap((file) => brokenLinks(file, repository)),
  ...sources.flatMap((file) => brokenNames(file, repository)),
];

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log(`links: those of ${markdown.length} Markdown files lead somewhere`);
