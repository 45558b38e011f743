import { library } from '../../../tools/tsup.ts';

export default library({ entry: ['src/index.ts', 'src/bin.ts'], splitting: true });
