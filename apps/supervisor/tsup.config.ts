import { keepNames } from '../../tools/keep-names.ts';
import { lean } from '../../tools/lean.ts';
import { application } from '../../tools/tsup.ts';

export default application({ hawser: 'src/hawser.ts' }, { esbuildPlugins: [lean, keepNames] });
