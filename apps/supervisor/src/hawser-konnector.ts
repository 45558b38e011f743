import { readKonnectorCommand } from './command-line.js';
import { main } from './process.js';

await main(readKonnectorCommand);
