import { application } from '../tools/tsup.ts';

export default application({ 'bare-loop': 'src/bare-loop.ts' });
