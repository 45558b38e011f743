import { application } from '../../tools/tsup.ts';

export default application({ hawser: 'src/hawser.ts' });
