// `npm run image [-- --tag NAME] [--only amd64|arm64] [--file FILE] [--results FILE]`: builds the image of the built
// supervisor twice, and tries it. `--update` pins the newest base packages. Without them it says so, and counts as
// skipped.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Tally, add, nothing, oneFailed, onePassed, oneSkipped } from '../test/tally.ts';
import { root } from '../workspace.ts';
import { architectures, updatePins } from './base.ts';
import { buildImage } from './build.ts';
import { checkImage } from './check.ts';

const { values } = parseArgs({
  options: {
    tag: { type: 'string' },
    only: { type: 'string' },
    file: { type: 'string' },
    results: { type: 'string' },
    update: { type: 'boolean', default: false },
  },
});
if (values.update) {
  const { node, packages } = await updatePins();
  console.log(`Node ${node.version}, ${packages.amd64.map(({ name, version }) => `${name} ${version}`).join(', ')}`);
}
let tally: Tally = nothing;
const settings = {
  ...(values.tag === undefined ? {} : { tag: values.tag }),
  only: architectures.filter((one) => values.only === undefined || one === values.only),
};
if (settings.only.length === 0) throw new Error(`--only takes ${architectures.join(' or ')}`);
// The second one is tried, and stays.
const again = join(root, 'tmp', 'image-again.tar');
const first = await buildImage({ ...settings, file: again });
rmSync(again, { force: true });
const built =
  'missing' in first
    ? first
    : await buildImage({ ...settings, ...(values.file === undefined ? {} : { file: values.file }) });
if ('missing' in first || 'missing' in built) {
  console.log(`skipped: ${'missing' in built ? built.missing : ''}`);
  tally = oneSkipped;
} else {
  const isSame = first.digest === built.digest;
  if (!isSame) console.error(`two builds are two images: ${first.digest} and ${built.digest}`);
  tally = add(tally, isSame ? onePassed : oneFailed);
  const checked = await checkImage(built.file);
  if ('untried' in checked) {
    console.log(`skipped: the image is built and not tried: ${checked.untried}`);
    tally = add(tally, oneSkipped);
  } else {
    for (const fault of checked.faults) console.error(fault);
    tally = add(tally, checked.faults.length === 0 ? onePassed : oneFailed);
  }
  console.log(`built ${built.tag} for ${settings.only.join(' and ')}: ${built.file}\n${built.digest}`);
}
if (values.results !== undefined) writeFileSync(values.results, JSON.stringify(tally));
if (tally.failed > 0) process.exitCode = 1;
