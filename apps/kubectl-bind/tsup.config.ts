import { keepNames } from '../../tools/keep-names.ts';
import { application } from '../../tools/tsup.ts';

export default application({ 'kubectl-bind': 'src/kubectl-bind.ts' }, { esbuildPlugins: [keepNames] });
