// `npm run image [-- --tag NAME] [--base IMAGE] [--results FILE]`: builds the image of the supervisor, which must be built, and tries it.
// Where Docker or the base image is missing it says so, and counts as skipped.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Tally, nothing, oneFailed, onePassed, oneSkipped } from '../test/tally.ts';
import { buildImage } from './build.ts';
import { faultsOf } from './check.ts';

const {
  values: { tag, base, results },
} = parseArgs({ options: { tag: { type: 'string' }, base: { type: 'string' }, results: { type: 'string' } } });
let tally: Tally = nothing;
const built = await buildImage({ ...(tag === undefined ? {} : { tag }), ...(base === undefined ? {} : { base }) });
if ('missing' in built) {
  console.log(`skipped: ${built.missing}`);
  tally = oneSkipped;
} else {
  const faults = await faultsOf(built.tag);
  for (const fault of faults) console.error(fault);
  console.log(`built ${built.tag}`);
  tally = faults.length === 0 ? onePassed : oneFailed;
}
if (results !== undefined) writeFileSync(results, JSON.stringify(tally));
if (tally.failed > 0) process.exitCode = 1;
