// `node tools/programs/main.ts helm kind prometheus`: puts programs into the cache, if available, and prints their
// paths.
import { locateProgram } from './go-program.ts';
import { helm, kind } from './programs.ts';
import { locatePrometheus } from './prometheus.ts';

for (const name of process.argv.slice(2)) {
  if (name === 'prometheus') {
    const found = await locatePrometheus();
    console.log('prometheus' in found ? `${name}: ${found.prometheus}` : found.missing);
    if (!('prometheus' in found)) process.exitCode = 1;
    continue;
  }
  const program = [helm, kind].find((one) => one.name === name);
  if (program === undefined) throw new Error(`unknown program: ${name}`);
  const found = await locateProgram(program, {
    print: (line) => {
      console.log(line);
    },
  });
  console.log('path' in found ? `${name}: ${found.path}` : found.missing);
  if (!('path' in found)) process.exitCode = 1;
}
