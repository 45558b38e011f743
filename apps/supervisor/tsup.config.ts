import { application } from '../../tools/tsup.ts';

export default application({ hawser: 'src/hawser.ts', 'hawser-konnector': 'src/hawser-konnector.ts' });
