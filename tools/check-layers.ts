// Proves that the layer rule fires: a slightly misconfigured linter stays silent. Lints virtual imports, one for each
// forbidden pair of layers and for some allowed ones.
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { ESLint } from 'eslint';
import { root } from './workspace.ts';

const rule = '@nx/enforce-module-boundaries';
const cases: readonly { readonly in: string; readonly imports: string; readonly allowed: boolean }[] = [
  { in: 'packages/runtime/client', imports: '@hawser/kube-bind', allowed: false },
  { in: 'packages/runtime/client', imports: '@hawser/testenv', allowed: false },
  { in: 'packages/language/schema', imports: '@hawser/client', allowed: false },
  { in: 'packages/api/kube-bind', imports: '@hawser/konnector-sync', allowed: false },
  { in: 'packages/konnector/konnector-main', imports: '@hawser/konnector-explain', allowed: false },
  { in: 'packages/emulator/apiserver', imports: '@hawser/kube-bind', allowed: true },
  { in: 'packages/emulator/apiserver', imports: '@hawser/konnector-sync', allowed: false },
  { in: 'packages/language/schema', imports: '@hawser/json', allowed: true },
  { in: 'packages/konnector/konnector-main', imports: '@hawser/exportrequest', allowed: false },
  { in: 'packages/provider/exportrequest', imports: '@hawser/konnector-sync', allowed: false },
  { in: 'packages/konnector/konnector-main', imports: '@hawser/faultproxy', allowed: false },
  { in: 'apps/supervisor', imports: '@hawser/testenv', allowed: false },
  { in: 'packages/konnector/konnector-main', imports: '@hawser/kube-bind', allowed: true },
  { in: 'packages/testing/testenv', imports: '@hawser/client', allowed: true },
  { in: 'apps/supervisor', imports: '@hawser/konnector-main', allowed: true },
];

const eslint = new ESLint({
  cwd: root,
  ruleFilter: ({ ruleId }) => ruleId === rule,
  // With CI=true the parser would read the file on disk, not our text.
  overrideConfig: { languageOptions: { parserOptions: { disallowAutomaticSingleRunInference: true } } },
});
let wrong = 0;
for (const { in: dir, imports, allowed } of cases) {
  // Any existing file: the type-checking parser knows no others.
  const [file] = globSync('src/*.ts', { cwd: join(root, dir) })
    .filter((name) => !name.endsWith('.test.ts'))
    .sort();
  if (file === undefined) throw new Error(`${dir} has no sources`);
  const [result] = await eslint.lintText(`import * as other from '${imports}';\nexport { other };\n`, {
    filePath: join(root, dir, file),
  });
  const messages = result?.messages ?? [];
  const fired = messages.some(({ ruleId }) => ruleId === rule);
  const other = messages.filter(({ ruleId, fatal }) => ruleId !== rule && fatal === true);
  if (fired !== allowed && other.length === 0) continue;
  wrong++;
  console.error(
    `${dir} importing ${imports}: should be ${allowed ? 'allowed' : 'refused'}, but was not. ${messages.map(({ message }) => message).join('; ')}`,
  );
}
if (wrong > 0) process.exitCode = 1;
else console.log(`layers: ${cases.length} imports judged rightly`);
