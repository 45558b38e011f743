import { work } from './pool.js';

work();
