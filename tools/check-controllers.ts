// `npm run controllers`: lists missing steps from a controller to its users. See controllers.ts.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ControllerPackage, declaresControllers, problemsOf } from './controllers.ts';
import { root } from './workspace.ts';

const read = (file: string): string => (existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : '');
const readAll = (pattern: string): string =>
  globSync(pattern, { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .sort()
    .map(read)
    .join('\n');

const packages = globSync('packages/{konnector,provider,syncagent}/*', { cwd: root })
  .sort()
  .map((dir): ControllerPackage => {
    const files = globSync('src/**/*.ts', { cwd: join(root, dir) })
      .filter((file) => !file.endsWith('.test.ts') && !file.includes('/testing/'))
      .sort();
    return {
      dir,
      readme: read(`${dir}/README.md`),
      sources: new Map(files.map((file) => [file, read(`${dir}/${file}`)])),
    };
  })
  .filter(declaresControllers);
const supervisor = readAll('apps/supervisor/src/**/*.ts');
const problems = packages.flatMap((one) =>
  problemsOf(one, {
    supervisor,
    config: readAll('packages/runtime/config/src/*config.ts'),
    running: read('docs/reference/config.md'),
    chart: readAll(`charts/${one.dir.split('/')[1] ?? ''}/templates/*`),
  }),
);

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log(`controllers: ${packages.length} packages wired in`);
