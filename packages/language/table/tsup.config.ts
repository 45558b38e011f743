import { library } from '../../../tools/tsup.ts';

export default library();
